import type { Endpoint } from './endpoint'
import { accountEndpoints } from './routes/accounts'
import { auditLogEndpoints } from './routes/audit-logs'
import { automationEmailEndpoints } from './routes/automation-emails'
import { automationLinkEndpoints } from './routes/automation-links'
import { automationPerformanceEndpoints } from './routes/automation-performance'
import { automationRuleEndpoints } from './routes/automation-rules'
import { automationRunEndpoints } from './routes/automation-runs'
import { automationEndpoints } from './routes/automations'
import { conversationEndpoints } from './routes/conversations'
import { customAttributeEndpoints } from './routes/custom-attributes'
import { deadEventEndpoints } from './routes/dead-events'
import { deliveryEndpoints } from './routes/deliveries'
import { emailEventEndpoints } from './routes/email-events'
import { eventEndpoints } from './routes/events'
import { executionEndpoints } from './routes/executions'
import { installationConfigEndpoints } from './routes/installation-configs'
import { queueEndpoints } from './routes/queues'
import { replayEndpoints } from './routes/replay'
import { ruleWhyEndpoints } from './routes/rule-why'
import { sessionEndpoints } from './routes/session'
import { sweepEndpoints } from './routes/sweeps'
import { testClockEndpoints } from './routes/test-clock'
import { tokenEndpoints } from './routes/tokens'

/** The whole API, in the order in which its description names it. */
export const endpoints: readonly Endpoint[] = [
  ...sessionEndpoints,
  ...accountEndpoints,
  ...tokenEndpoints,
  ...customAttributeEndpoints,
  ...automationRuleEndpoints,
  ...ruleWhyEndpoints,
  ...automationEndpoints,
  ...automationPerformanceEndpoints,
  ...automationRunEndpoints,
  ...automationLinkEndpoints,
  ...automationEmailEndpoints,
  ...emailEventEndpoints,
  ...executionEndpoints,
  ...replayEndpoints,
  ...deliveryEndpoints,
  ...conversationEndpoints,
  ...auditLogEndpoints,
  ...installationConfigEndpoints,
  ...sweepEndpoints,
  ...queueEndpoints,
  ...eventEndpoints,
  ...deadEventEndpoints,
  ...testClockEndpoints,
]
