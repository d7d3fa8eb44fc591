import { round } from "../web/index";

export interface Order {
  id: string;
}

export class Handler {
  constructor(private order: Order) {
  }

  private total(prices: number[]): number {
    const sum = prices.reduce((a, b) => a + b, 0);
    return round(sum);
  }
}
