export const round = (x: number) => x;
