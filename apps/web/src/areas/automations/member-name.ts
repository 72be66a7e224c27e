/** A member as people call them: by name, else by address; null for one that is deleted. */
export function memberName(
  member: { readonly id: string; readonly name: string | null; readonly email: string | null } | null,
): string | null {
  if (member === null) return null
  return [member.name, member.email].find((words) => words !== null && words.trim() !== '') ?? member.id
}
