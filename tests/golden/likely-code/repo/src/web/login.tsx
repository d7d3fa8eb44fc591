export function Login() {
  return <form>password</form>;
}
