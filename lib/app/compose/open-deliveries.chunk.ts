export { createDeliveryStore } from '../../adapters/dynamodb/delivery-store.ts';
