import { html, Markup } from './html'
import type { Message } from './mailbox'

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8a8f98; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { white-space: nowrap; font-weight: 600; } .soft { color: var(--soft); }
iframe { width: 100%; height: 30rem; border: 1px solid var(--line); background: #fff; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .75rem; }
`

/** The messages, the latest first. The page asks again by itself. */
export function listPage(messages: readonly Message[]): string {
  const rows = messages.toReversed().map(
    (
      message,
    ) => html`<tr><td class="soft">${message.received_at.slice(0, 19).replace('T', ' ')}</td><td>${message.to.join(', ')}</td>
<td><a href="/messages/${message.id}">${message.subject === '' ? '(no subject)' : message.subject}</a></td></tr>`,
  )
  return page(
    'Mails',
    html`<h1>Mails</h1>
<p class="soft">Nothing here leaves this machine. The messages go when the program ends; the latest stand first.</p>
${rows.length === 0 ? html`<p>No mail yet.</p>` : html`<table><tr><th>Received (UTC)</th><th>To</th><th>Subject</th></tr>${rows}</table>`}`,
    new Markup('<meta http-equiv="refresh" content="5">'),
  )
}

/** One message: as it looks, its links, its text, its headers. */
export function messagePage(message: Message): string {
  const links = linksOf(message)
  return page(
    message.subject,
    html`<p><a href="/">All mails</a></p>
<h1>${message.subject === '' ? '(no subject)' : message.subject}</h1>
<p class="soft">from ${message.from} to ${message.to.join(', ')} · <a href="/messages/${message.id}/raw">as it was sent</a></p>
${message.html === null ? '' : html`<iframe sandbox src="/messages/${message.id}/html" title="The message"></iframe>`}
${links.length === 0 ? '' : html`<h2>Links</h2><ul>${links.map((link) => html`<li><a href="${link}" rel="noreferrer">${link}</a></li>`)}</ul>`}
${message.text === null ? '' : html`<h2>Text</h2><pre>${message.text}</pre>`}
<h2>Headers</h2>
<table>${message.headers.map(({ name, value }) => html`<tr><th>${name}</th><td>${value}</td></tr>`)}</table>`,
  )
}

/** Frames do not open links; they stand beside them. The one-click address of the headers is among them. */
function linksOf({ html: body, headers }: Message): string[] {
  const inBody = [...(body ?? '').matchAll(/\bhref="(https?:[^"]+)"/gi)].map(([, link = '']) => decoded(link))
  const unsubscribe = headers.find(({ name }) => name.toLowerCase() === 'list-unsubscribe')?.value ?? ''
  const inHeader = [...unsubscribe.matchAll(/<(https?:[^>]+)>/gi)].map(([, link = '']) => link)
  return [...new Set([...inBody, ...inHeader])]
}

function decoded(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
}

function page(title: string, body: Markup, head: Markup | '' = ''): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title === '' ? 'Mail' : title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
${body}
</body>
</html>
`.text
}
