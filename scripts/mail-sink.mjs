// The mail server of examples/mail-sink, as start, demo and chaos run it. Needs the build.
import { join } from 'node:path'
import { ROOT } from './command.mjs'
import { freePort } from './processes.mjs'

/**
 * Starts it on the loopback address; with `restart` it keeps its ports, and its messages are gone.
 *
 * @param {ReturnType<typeof import('./processes.mjs').createProcesses>} processes
 * @param {{smtpPort?: number, webPort?: number}} [options] free ports unless given
 * @returns {Promise<{name: string, smtpUrl: string, url: string, restart: () => Promise<void>}>}
 *   `url`: where its messages can be looked at, and read as JSON
 */
export async function startMailSink(processes, { smtpPort, webPort } = {}) {
  const ports = { smtp: smtpPort ?? (await freePort()), web: webPort ?? (await freePort()) }
  const options = {
    name: 'mail-sink',
    command: process.execPath,
    args: ['--enable-source-maps', join(ROOT, 'examples/mail-sink/dist/main.js')],
    env: {
      PATH: process.env.PATH,
      MAIL_SINK_SMTP_PORT: String(ports.smtp),
      MAIL_SINK_WEB_PORT: String(ports.web),
    },
    cwd: ROOT,
    graceMs: 5_000,
    readyLine: (line) => line.startsWith('ready '),
    readyWithinMs: 15_000,
  }
  await processes.start(options)
  return {
    name: options.name,
    smtpUrl: `smtp://127.0.0.1:${ports.smtp}`,
    url: `http://127.0.0.1:${ports.web}`,
    restart: async () => void (await processes.start(options)),
  }
}

/**
 * Its messages, oldest first, as examples/mail-sink/README.md says.
 *
 * @param {string} url
 * @param {string} [to] only those for this address
 * @returns {Promise<{id: string, to: string[], subject: string, text: string | null, html: string | null, message_id: string | null, headers: {name: string, value: string}[]}[]>}
 */
export async function sinkMessages(url, to) {
  const response = await fetch(`${url}/messages${to ? `?to=${encodeURIComponent(to)}` : ''}`)
  const { messages } = /** @type {any} */ (await response.json())
  return messages
}

/**
 * Tells it how to treat mails from now on.
 *
 * @param {string} url
 * @param {readonly object[]} rules
 */
export async function setSinkBehaviour(url, rules) {
  const response = await fetch(`${url}/behaviour`, { method: 'PUT', body: JSON.stringify(rules) })
  if (!response.ok) throw new Error(`The mail server refused its rules: ${await response.text()}`)
}
