import { randomUUID } from 'node:crypto'

const REFERENCE = /\$(uuid:\w+|[A-Za-z]\w*(?:\.\w+)*)/g

/** Answers that a case keeps, and what `$NAME` in its later steps stands for. One per case. */
export class References {
  private readonly kept = new Map<string, unknown>()
  private readonly uuids = new Map<string, string>()

  keep(name: string, value: unknown): void {
    this.kept.set(name, value)
  }

  answer(name: string): unknown {
    return this.kept.get(name)
  }

  /**
   * The value with every known reference replaced. A text that is nothing but a reference takes the type of what it
   * stands for; what is not known (`$any`, a price) stays as it is.
   */
  resolve(value: unknown): unknown {
    if (typeof value === 'string') return this.resolveText(value)
    if (Array.isArray(value)) return value.map((element) => this.resolve(element))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.resolve(child)]))
    }
    return value
  }

  /** For a request's path: what is put in is percent-encoded, the rest is as the case wrote it. */
  resolvePath(path: string): string {
    return this.replaceIn(path, (found) => encodeURIComponent(String(found)))
  }

  private resolveText(text: string): unknown {
    const [whole] = text.match(REFERENCE) ?? []
    if (whole !== text) return this.replaceIn(text, String)
    const found = this.find(text.slice(1))
    return found === undefined ? text : found
  }

  private replaceIn(text: string, written: (found: unknown) => string): string {
    return text.replace(REFERENCE, (reference, name: string) => {
      const found = this.find(name)
      return found === undefined || found === null ? reference : written(found)
    })
  }

  private find(name: string): unknown {
    if (name.startsWith('uuid:')) {
      const uuid = this.uuids.get(name) ?? randomUUID()
      this.uuids.set(name, uuid)
      return uuid
    }
    const [first = '', ...path] = name.split('.')
    if (!this.kept.has(first)) return undefined
    const answer = this.kept.get(first)
    return path.length === 0 ? idOf(answer) : path.reduce(child, answer)
  }
}

/** The id that an answer speaks of: its own, that of its payload, or that of the one automation in it. */
export function idOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  for (const path of [['id'], ['payload', 'id'], ['data', 'id'], ['automations', '0', 'id']]) {
    const id = path.reduce(child, answer as unknown)
    if (id !== undefined) return id
  }
  return undefined
}

function child(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
