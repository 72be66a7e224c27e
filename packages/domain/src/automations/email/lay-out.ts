import type { RenderedEmail } from './compile-email'
import { escapeHtml } from './escape-html'
import { sanitiseHtml } from './sanitise-html'

export interface EmailLayout {
  readonly unsubscribeUrl: string
  /** Whether the text itself has a way out already; else a line with one is added. */
  readonly hasUnsubscribeLink: boolean
  /** Where clicks are counted: the address a link leads to instead. Null where they are not. */
  readonly trackedLink: ((url: string) => string) | null
  /** Where opens are counted. Null where they are not. */
  readonly pixelUrl: string | null
}

/** The mail as it goes out: a whole document and its plain text. Links are counted in the HTML only. */
export function layOut(email: RenderedEmail, layout: EmailLayout): RenderedEmail {
  const { trackedLink, pixelUrl, unsubscribeUrl } = layout
  // The way out is nobody's click.
  const link = (url: string) => (url === unsubscribeUrl || trackedLink === null ? url : trackedLink(url))
  const content = trackedLink === null ? email.html : sanitiseHtml(email.html, { link })
  const wayOut = layout.hasUnsubscribeLink
    ? ''
    : `<hr><p style="font-size:13px;color:#666"><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></p>\n`
  const pixel = pixelUrl === null ? '' : `<img src="${escapeHtml(pixelUrl)}" alt="" width="1" height="1">\n`
  return {
    subject: email.subject,
    html: `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(email.subject)}</title></head>
<body style="margin:0 auto;padding:16px;max-width:600px;font-family:sans-serif;line-height:1.5">
${content}
${wayOut}${pixel}</body>
</html>
`,
    text: layout.hasUnsubscribeLink ? email.text : `${email.text}\n\n--\nUnsubscribe: ${unsubscribeUrl}\n`,
  }
}
