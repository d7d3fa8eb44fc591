export const admin = 1;
