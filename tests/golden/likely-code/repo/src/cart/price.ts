export function price(cart): number {
  return cart.articles.reduce((sum, article) => sum + article.price, 0);
}
