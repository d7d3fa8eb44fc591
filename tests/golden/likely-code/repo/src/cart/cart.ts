export interface Cart {
  articles: Article[];
}

export function isEmpty(cart: Cart): boolean {
  return cart.articles.length === 0;
}

export function articleCount(cart: Cart): number {
  return cart.articles.length;
}
