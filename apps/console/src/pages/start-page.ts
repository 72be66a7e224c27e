import { html, page } from './html'

/** What stands at the root while no web interface is built. */
export const startPage = page(
  'Where to look',
  html`<main>
<h1>Dwell</h1>
<p>Delayed automations: things that must happen because nothing else happened.</p>
<table>
<tr><th scope="row"><a href="/docs">/docs</a></th><td>The API, endpoint by endpoint; <a href="/openapi.json">/openapi.json</a> for programs.</td></tr>
<tr><th scope="row"><a href="/admin/queues">/admin/queues</a></th><td>The queues. Sign in with the admin token.</td></tr>
<tr><th scope="row"><a href="/readyz">/readyz</a></th><td>Whether this process can work; <a href="/livez">/livez</a>, <a href="/metrics">/metrics</a>.</td></tr>
</table>
</main>`,
)
