import { formatOptionalInstant } from '@dwell/contracts/instant'
import type { InstallationConfigName } from '@dwell/contracts/pending-execution'
import { payloadOf } from '@dwell/contracts/rest/answers'
import {
  anyInstallationConfigBody,
  describeInstallationConfig,
  type InstallationConfigAnswer,
  installationConfigAnswer,
  installationConfigBody,
  isInstallationConfigName,
} from '@dwell/contracts/rest/installation-configs'
import {
  findInstallationConfig,
  listInstallationConfigs,
  type StoredInstallationConfig,
  storeInstallationConfig,
} from '@dwell/database/installation-configs'
import { z } from 'zod'
import { type Endpoint, installationEndpoint } from '../endpoint'
import { type BodyReader, parse } from '../http/body'
import { notFound } from '../http/problem'

const tag = 'Installation'

/** What a value may be depends on the setting that the path names. */
const body: BodyReader<{ value: boolean | number | string }> = {
  described: anyInstallationConfigBody,
  required: true,
  read: (received, params) => parse(installationConfigBody(nameIn(params)), received?.value),
}

const find = async ({ params }: { readonly params: Readonly<Record<string, string>> }) => nameIn(params)

export const installationConfigEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/installation_configs',
    operation: 'listInstallationConfigs',
    tag,
    summary: 'All settings of the installation.',
    answer: {
      status: 200,
      description: 'The settings.',
      schema: z.object({ payload: z.array(installationConfigAnswer), meta: z.object({ next_cursor: z.null() }) }),
    },
    handle: async ({ deps }) => ({
      payload: (await listInstallationConfigs(deps.database)).map(viewConfig),
      meta: { next_cursor: null },
    }),
  }),
  installationEndpoint({
    method: 'GET',
    path: '/installation_configs/{name}',
    operation: 'getInstallationConfig',
    tag,
    summary: 'One setting; its default where nothing is stored.',
    answer: { status: 200, description: 'The setting.', schema: payloadOf(installationConfigAnswer) },
    find,
    handle: async ({ deps, found }) => ({ payload: viewConfig(await findInstallationConfig(deps.database, found)) }),
  }),
  installationEndpoint({
    method: 'PUT',
    path: '/installation_configs/{name}',
    operation: 'putInstallationConfig',
    tag,
    summary: 'Changes a setting; it holds within one sweep, without a deploy. The text "false" means false.',
    body,
    answer: { status: 200, description: 'The setting as it is now.', schema: payloadOf(installationConfigAnswer) },
    find,
    handle: async ({ deps, found, body: { value }, change }) => ({
      payload: viewConfig(await storeInstallationConfig(deps.database, found, value, change)),
    }),
  }),
]

function nameIn(params: Readonly<Record<string, string>>): InstallationConfigName {
  const name = params.name ?? ''
  if (!isInstallationConfigName(name)) throw notFound('There is no setting of this name.')
  return name
}

function viewConfig(config: StoredInstallationConfig): InstallationConfigAnswer {
  return {
    name: config.name,
    value: config.value,
    default: config.default,
    ...describeInstallationConfig(config.name),
    updated_at: formatOptionalInstant(config.updatedAt),
  }
}
