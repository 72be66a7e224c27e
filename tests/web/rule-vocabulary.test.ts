import { ACTIONS as DOMAIN_ACTIONS } from '@dwell/domain/rules/actions'
import { ATTRIBUTES as DOMAIN_ATTRIBUTES, customAttribute as domainCustom } from '@dwell/domain/rules/attributes'
import { OPERATORS as DOMAIN_OPERATORS, VALUES_OF } from '@dwell/domain/rules/operators'
import { paramsField } from '../../apps/web/src/areas/rules/action-params'
import { ACTIONS, ATTRIBUTES, customAttribute, OPERATORS, valuesOf } from '../../apps/web/src/areas/rules/vocabulary'
import texts from '../../apps/web/src/i18n/en/rules.json'

const sorted = (names: readonly string[]) => [...names].sort()

/** The form knows no code of the server; so what it offers is compared with what the server takes. */
describe('the form offers what the server takes', () => {
  test('attributes, with their operators and names', () => {
    const form = ATTRIBUTES.map(({ key, kind, operators, names, ofMessage = false }) => ({
      key,
      kind,
      ofMessage,
      operators: sorted(operators),
      names: sorted(names ?? []),
    }))
    const server = DOMAIN_ATTRIBUTES.map(({ key, kind, operators, names, anyName, ofMessage = false }) => ({
      key,
      kind,
      ofMessage,
      operators: sorted(operators),
      names: sorted([...(names ?? []), ...(anyName === undefined ? [] : [anyName])]),
    }))
    const byKey = (a: { key: string }, b: { key: string }) => a.key.localeCompare(b.key)
    expect(form.sort(byKey)).toEqual(server.sort(byKey))
  })

  test.each(['text', 'link', 'number', 'checkbox', 'list', 'date'] as const)('custom attributes of type %s', (type) => {
    const definition = {
      attribute_key: 'x',
      attribute_display_type: type,
      attribute_model: 'contact_attribute',
    } as const
    const [form, server] = [customAttribute(definition), domainCustom(definition)]
    expect(form.kind).toBe(server.kind)
    expect(sorted(form.operators)).toEqual(sorted(server.operators))
  })

  test('operators, with what they want', () => {
    expect(sorted(OPERATORS)).toEqual(sorted(DOMAIN_OPERATORS))
    for (const operator of OPERATORS) expect(valuesOf(operator)).toBe(VALUES_OF[operator])
  })

  test('actions', () => {
    expect(sorted(ACTIONS)).toEqual(sorted(DOMAIN_ACTIONS.map(({ name }) => name)))
  })

  test('and has a word for each of it', () => {
    for (const { key } of ATTRIBUTES) {
      expect(texts.attributes).toHaveProperty(key)
      expect(texts.phrases).toHaveProperty(key)
    }
    for (const operator of OPERATORS) expect(texts.operators).toHaveProperty(operator)
    for (const action of ACTIONS) {
      expect(texts.actions.names).toHaveProperty(action)
      expect(texts.sentence.actions).toHaveProperty(action)
      expect(paramsField(action)).toBeDefined()
    }
  })
})
