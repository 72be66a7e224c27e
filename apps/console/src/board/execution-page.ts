import type { ExecutionAnswer } from '@dwell/contracts/rest/executions'
import { html, page } from '../pages/html'

/** What Bull Board's jobs link to: the row itself, which is the truth about what became of it. */
export function executionPage(execution: ExecutionAnswer): string {
  const facts: readonly (readonly [string, unknown])[] = [
    ['Account', execution.account_id],
    ['Rule', execution.automation_rule_id],
    ['Conversation', execution.conversation_id],
    ['Message', execution.message_id],
    ['Episode', execution.episode_key],
    ['Status', execution.status],
    ['Skipped because', execution.skip_reason],
    ['Due', execution.due_at],
    ['Armed by an event of', execution.armed_at],
    ['Claimed', execution.claimed_at],
    ['Executed', execution.executed_at],
    ['Ended', execution.finished_at],
    ['Guards', execution.guard_outcome?.map(({ guard, passed }) => `${guard} ${passed ? '✓' : '✗'}`).join(', ')],
  ]
  const { deliveries } = execution
  return page(
    `Execution ${execution.id}`,
    html`<main>
<p><a href="/admin/queues">Queues</a></p>
<h1>Execution ${execution.id}</h1>
<table>${facts
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>
<h2>Deliveries</h2>
${
  deliveries.length === 0
    ? html`<p class="soft">None.</p>`
    : html`<table><tr><th>Position</th><th>Action</th><th>Target</th><th>Status</th><th>Attempts</th><th>Error</th></tr>${deliveries.map(
        (delivery) =>
          html`<tr><td>${delivery.position}</td><td>${delivery.action_name}</td><td>${delivery.target}</td><td>${delivery.status}</td><td>${delivery.attempts.length}</td><td>${delivery.error}</td></tr>`,
      )}</table>`
}
</main>`,
  )
}
