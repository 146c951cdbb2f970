import { createCallbackFunction } from '../lib/app/callback-handler.ts';
import { openCallbacks } from '../lib/app/compose.ts';

export const handler = createCallbackFunction(openCallbacks());
