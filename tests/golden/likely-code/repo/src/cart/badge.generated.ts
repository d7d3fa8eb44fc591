export const cartBadge = "cart badge";

export function showBadge(cartIcon: string, articles: number) {
    // The badge beside the cart icon shows how many articles the cart holds, hidden while the cart is empty.
    return articles === 0 ? "" : `${cartIcon} ${articles}`;
}
