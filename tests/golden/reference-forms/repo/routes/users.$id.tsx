export function User() {
  return null;
}
