import { isPlainObject } from '@hookloom/plugin-kit';

/**
 * A CloudFormation request to a custom resource.
 *
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html
 */
export interface StackRequest {
  readonly requestType: 'Create' | 'Update' | 'Delete';
  readonly responseUrl: string;
  readonly physicalResourceId: string;
  readonly stackId: string;
  readonly requestId: string;
  readonly logicalResourceId: string;
}

/** The id of a newly created resource: one per stack. */
const PHYSICAL_RESOURCE_ID = 'registrations';

/** Null for any other event. */
export const readStackRequest = (event: unknown): StackRequest | null => {
  if (!isPlainObject(event)) return null;
  const { RequestType: requestType, ResponseURL: responseUrl } = event;
  const isRequest = requestType === 'Create' || requestType === 'Update' || requestType === 'Delete';
  if (!isRequest || typeof responseUrl !== 'string') return null;
  return {
    requestType,
    responseUrl,
    physicalResourceId: String(event.PhysicalResourceId ?? PHYSICAL_RESOURCE_ID),
    stackId: String(event.StackId),
    requestId: String(event.RequestId),
    logicalResourceId: String(event.LogicalResourceId),
  };
};
