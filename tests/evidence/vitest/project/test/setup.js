// eslint-disable-next-line import/no-extraneous-dependencies
import { afterEach, vi } from 'vitest';

afterEach(() => vi.restoreAllMocks());
