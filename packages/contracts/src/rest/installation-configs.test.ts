import { castInstallationConfig, castInstallationConfigs, isInstallationConfigName } from './installation-configs'

const STANDARD = {
  DISABLE_DELAYED_AUTOMATIONS: false,
  AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: 1000,
  DELAYED_AUTOMATIONS_WHEN_DISABLED: 'skip',
}

describe('settings of the installation', () => {
  test('that are not stored, or have no meaning, count as their defaults', () => {
    expect(castInstallationConfigs({})).toEqual(STANDARD)
    expect(
      castInstallationConfigs({
        DISABLE_DELAYED_AUTOMATIONS: 'perhaps',
        AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: -1,
        DELAYED_AUTOMATIONS_WHEN_DISABLED: null,
        SOMETHING_ELSE: true,
      }),
    ).toEqual(STANDARD)
  })

  test('mean what their text means: the text "false" is false', () => {
    expect(
      castInstallationConfigs({
        DISABLE_DELAYED_AUTOMATIONS: 'true',
        AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: ' 250 ',
        DELAYED_AUTOMATIONS_WHEN_DISABLED: 'PAUSE',
      }),
    ).toEqual({
      DISABLE_DELAYED_AUTOMATIONS: true,
      AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: 250,
      DELAYED_AUTOMATIONS_WHEN_DISABLED: 'pause',
    })
    expect(castInstallationConfigs({ DISABLE_DELAYED_AUTOMATIONS: 'false' }).DISABLE_DELAYED_AUTOMATIONS).toBe(false)
    for (const [value, meaning] of [
      [true, true],
      [1, true],
      ['ON', true],
      ['yes', true],
      [false, false],
      [0, false],
      ['off', false],
      ['No', false],
      ['', null],
      ['2', null],
      [null, null],
      [[], null],
      [{}, null],
    ] as const)
      expect(castInstallationConfig('DISABLE_DELAYED_AUTOMATIONS', value)).toBe(meaning)
  })

  test('keep a limit within what one sweep can take', () => {
    const limit = (value: unknown) => castInstallationConfig('AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', value)
    expect([1, '1', 100_000].map(limit)).toEqual([1, 1, 100_000])
    expect([0, 100_001, 1.5, '1.5', '', '1e3', true, Number.NaN].map(limit)).toEqual(Array(8).fill(null))
  })

  test('have names of their own, not those of every object', () => {
    expect(isInstallationConfigName('DISABLE_DELAYED_AUTOMATIONS')).toBe(true)
    expect(isInstallationConfigName('constructor')).toBe(false)
  })
})
