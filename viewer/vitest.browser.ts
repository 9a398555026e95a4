import { defineConfig } from 'vitest/config';

// One file after the other: measured times must not disturb one another.
export default defineConfig({ test: { include: ['test/browser/*.test.ts'], fileParallelism: false, testTimeout: 60000, hookTimeout: 60000 } });
