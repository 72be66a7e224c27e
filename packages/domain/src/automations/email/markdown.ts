import MarkdownIt from 'markdown-it'

const markdown = new MarkdownIt({ html: true, linkify: true })
// Only what is written as an address becomes a link: "member.name" would be a host name, too.
markdown.linkify.set({ fuzzyLink: false })

/** CommonMark with tables and strike-through; HTML in it stays and is sanitised with the rest. */
export function markdownToHtml(text: string): string {
  return markdown.render(text)
}
