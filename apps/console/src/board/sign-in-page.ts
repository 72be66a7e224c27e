import { html, page } from '../pages/html'

/** The form that asks for the admin token. */
export function signInPage(problem?: string): string {
  return page(
    'Sign in',
    html`<main>
<h1>Sign in</h1>
<p>The queues are open to whoever has the admin token of this installation.</p>
${problem === undefined ? '' : html`<p class="alert" role="alert">${problem}</p>`}
<form method="post" action="/admin/session">
<label for="token">Admin token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Sign in</button>
</form>
</main>`,
  )
}
