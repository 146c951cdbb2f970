export const startGatewayBackend = async (s: any) => ({port: Number(s.port), lambdaPort: 4002, announce(){ console.log('READY') }, stop(){}});
