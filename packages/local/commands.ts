import type { LocalCommands } from '../cli/command.ts';
import { runService } from './run-service.ts';

// What the command line loads on use.

export default {
  runService,
  deployStage: async (...given) => (await import('./deploy/deploy-stage.ts')).deployStage(...given),
  removeStage: async (...given) => (await import('./deploy/remove-stage.ts')).removeStage(...given),
} satisfies LocalCommands;
