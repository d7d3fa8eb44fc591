import { isEmpty } from "../src/cart/cart";

test("a new cart is empty", () => {
  expect(isEmpty({ articles: [] })).toBe(true);
});
