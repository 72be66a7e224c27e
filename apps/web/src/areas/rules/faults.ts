import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/problem'
import { word } from './words'

/** What is wrong with what lies at a pointer or below it, in words; undefined when nothing is. */
export type FaultAt = (pointer: string, exact?: boolean) => string | undefined

/** The server names every fault by a pointer into the body; the form has a field for each. */
export function useFaultAt(faults: readonly Fault[]): FaultAt {
  const { t } = useTranslation('rules')
  return (pointer, exact = false) => {
    const found = faults.filter((fault) => fault.pointer === pointer || (!exact && isBelow(fault.pointer, pointer)))
    const texts = found.map(({ code, message }) => word(t, 'faults', code) ?? sentence(message))
    return texts.length === 0 ? undefined : [...new Set(texts)].join(' ')
  }
}

export function isBelow(pointer: string, parent: string): boolean {
  return pointer.startsWith(`${parent}/`)
}

/** The API names what it speaks of; here it stands at its field. */
function sentence(message: string): string {
  const text = message.replace(/^[a-z_]+: /, '').replace(/^[a-z_]+ must /, 'must ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
