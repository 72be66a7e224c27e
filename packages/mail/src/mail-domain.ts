/** The part behind the @ of `Name <local@domain>`: where its Message-IDs belong. */
export function mailDomain(from: string): string {
  return /@([^\s>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
}
