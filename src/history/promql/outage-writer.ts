/** For tests only: writes a tick every tenth of a second until it is killed, and prints what is in the queue. */
import { sampleTick } from '../sample-ticks.ts';
import { openRemoteHistory } from './remote-history.ts';
import { engineOptions } from './test-engines.ts';

const [url = '', directory = '', host = ''] = process.argv.slice(2);
const history = await openRemoteHistory(engineOptions(url, directory, host));
for (let next = Math.ceil(Date.now() / 100) * 100; ; next += 100) {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
  history.accept(sampleTick(next, [{ power_watts: next % 1e6 }]));
  await history.queued();
  process.stdout.write(`${next}\n`);
}
