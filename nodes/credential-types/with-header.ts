import type { OutboundRequest } from '@hookloom/plugin-kit';

/** The request with a header, which replaces one of the same name in any case. */
export const withHeader = (request: OutboundRequest, name: string, value: string): OutboundRequest => {
  const wanted = name.toLowerCase();
  const others = Object.entries(request.headers).filter(([other]) => other.toLowerCase() !== wanted);
  return { ...request, headers: { ...Object.fromEntries(others), [wanted]: value } };
};
