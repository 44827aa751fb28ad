import fc from 'fast-check';
import protobuf from 'protobufjs';
import { uncompress } from 'snappyjs';
import { expect, test } from 'vitest';
import { ProtobufWriter } from '../../wire/protobuf-writer.ts';
import { createPageWriter } from '../metric-profiles.ts';
import { writeWhole } from '../page.ts';
import { gpu, NAMING, NOW, pageOf, viewOf } from '../test-page.ts';
import { escapeTag } from './influx.ts';
import { remoteWrite } from './remote-write.ts';
import { SampleList } from './sample-list.ts';

const MESSAGES = protobuf.parse(`syntax = "proto3";
  message WriteRequest { repeated TimeSeries timeseries = 1; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }`).root;

test('what is written as protobuf is read back by another library', () => {
  const Label = MESSAGES.lookupType('Label');
  const Sample = MESSAGES.lookupType('Sample');
  const text = fc.string({ unit: 'binary', maxLength: 300 }).map((value) => Buffer.from(value).toString());
  fc.assert(
    fc.property(text, text, fc.double(), fc.nat({ max: Number.MAX_SAFE_INTEGER }), (name, value, number, time) => {
      const label = new ProtobufWriter();
      label.text(1, name);
      label.text(2, value);
      expect(Label.toObject(Label.decode(label.finish()), { defaults: true })).toEqual({ name, value });
      const sample = new ProtobufWriter();
      sample.double(1, number);
      sample.integer(2, time);
      expect(Sample.toObject(Sample.decode(sample.finish()), { defaults: true, longs: Number })).toEqual({
        value: number,
        timestamp: time,
      });
    }),
  );
});

test('a request of remote write has sorted, unique labels, and ten thousand series are whole', async () => {
  const list = new SampleList();
  const views = Array.from({ length: 400 }, (_, i) => viewOf(gpu(i, { name: `Quote " ${i}` }), { power_watts: i }));
  writeWhole(createPageWriter('node-1', NAMING).inSteps(pageOf(views), list));
  const receiver = remoteWrite({ url: '', labels: { job: 'gpulse', gpu: 'never' }, headers: {} });
  const many = [...list.samples, ...list.samples, ...list.samples, ...list.samples].slice(0, 10_000);
  expect(many).toHaveLength(10_000);
  const batches = await receiver.encode(pageOf(views), many);
  expect(batches.map(({ samples }) => samples)).toEqual([2000, 2000, 2000, 2000, 2000]);
  const Request = MESSAGES.lookupType('WriteRequest');
  interface Series {
    labels: { name: string; value: string }[];
    samples: { value: number; timestamp: number }[];
  }
  const series = batches.flatMap(({ body }) => {
    const message = Request.toObject(Request.decode(uncompress(body)), { longs: Number, defaults: true });
    return (message as { timeseries: Series[] }).timeseries;
  });
  series.forEach(({ labels, samples }, i) => {
    const names = labels.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(labels.find(({ name }) => name === '__name__')?.value).toBe(many[i]!.family.name);
    expect(samples).toEqual([{ value: many[i]!.value, timestamp: NOW - 500 }]);
  });
  const power = series.filter(({ labels }) => labels[0]?.value === 'gpulse_power_watts');
  expect(power[7]?.labels.find(({ name }) => name === 'gpu')?.value).toBe('7');
});

test('tags of line protocol are escaped', () => {
  const check = (text: string, escaped: string) => expect(escapeTag(text)).toBe(escaped);
  check('a b,c=d', 'a\\ b\\,c\\=d');
  check('two\r\nlines', 'two\\ lines');
  check('C:\\', 'C:');
  check('显卡', '显卡');
});
