// Which Chromium the tests of the web interface drive: a given one, the one on the PATH, else one that can be installed here.
import { findProgram, installWithApt } from './packages.mjs'

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** @param {(text: string) => void} log @returns {Promise<string>} its path */
export async function chromiumProgram(log) {
  const given = process.env.DWELL_TEST_CHROMIUM
  if (given) return given
  const path = findProgram(BROWSERS)
  if (path) return path
  log('Chromium is missing')
  if (await installWithApt('chromium', log)) {
    const installed = findProgram(BROWSERS)
    if (installed) return installed
  }
  throw new Error(
    'No Chromium was found: install one (the package chromium), or set DWELL_TEST_CHROMIUM to the path of one, and run this again.',
  )
}
