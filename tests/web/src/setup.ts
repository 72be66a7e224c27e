import { closeStreams } from './desk'

/** A view that needs longer than this is broken, not slow. */
jest.setTimeout(60_000)

afterAll(closeStreams)
