// Compiles every schema in Ajv's strict mode and prints its verdict on every card. Input and output are JSON.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const { schemas, cards } = JSON.parse(readFileSync(0, 'utf8'));
const options = { strict: true, strictTypes: true, strictTuples: true, strictRequired: true };
const verdicts = schemas.map((schema) => {
  const validate = new Ajv2020(options).compile(JSON.parse(schema));
  return cards.map((card) => validate(card));
});
console.log(JSON.stringify(verdicts));
