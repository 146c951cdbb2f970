import { serve } from '../lib/app/sandbox.ts';
import { createDispatchFunction } from '../lib/app/triggers/dispatch-handler.ts';
import { openDispatch } from '../lib/app/triggers/open-registrations.ts';

export const handler = serve(createDispatchFunction(openDispatch()));
