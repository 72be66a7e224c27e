import { html, page } from '../pages/html'

/** Asks first: whatever looks into the links of a mail, nobody is unsubscribed by that. */
export function confirmPage(accountName: string | null): string {
  return page(
    'Unsubscribe',
    html`<main>
<h1>Unsubscribe</h1>
<p>${from(accountName)} will send you no more automated e-mails. Newsletters that you have chosen are not affected.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Unsubscribe</button>
</form>
</main>`,
  )
}

export function donePage(accountName: string | null): string {
  return page(
    'Unsubscribed',
    html`<main>
<h1>You are unsubscribed</h1>
<p>${from(accountName)} will send you no more automated e-mails. Newsletters that you have chosen are not affected.</p>
</main>`,
  )
}

/** For a link that this installation has not made, or not as it is. */
export const brokenLinkPage = page(
  'Link',
  html`<main>
<h1>This link does not work</h1>
<p>It is not complete, or it was changed on its way. Open it from the e-mail again, or copy all of it.</p>
</main>`,
)

function from(accountName: string | null): string {
  return accountName ?? 'The sender'
}
