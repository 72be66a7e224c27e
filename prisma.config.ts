import { defineConfig } from 'prisma/config'

/** For Prisma's own command line. The migrations are ordinary ones: `prisma migrate deploy` applies them as well. */
export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
