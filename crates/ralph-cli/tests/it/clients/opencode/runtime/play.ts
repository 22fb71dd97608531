// Plays recorded events to the plugin and prints what it tells, session by
// session. Hooks are told as the client does: a tool when it is done.
import { readdirSync, readFileSync } from "node:fs"
import { Ralph } from "./ralph.ts"
import { quiet, told, world } from "./world.ts"

const folder = process.argv.at(-1)!
const directory = "/p"
const account: Record<string, any[]> = {}

for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".jsonl") || file.endsWith(".told.jsonl")) continue
  const { client, hear } = world()
  const hooks: any = await Ralph({ client, directory })
  await quiet()
  told.length = 0
  for (const line of readFileSync(`${folder}/${file}`, "utf8").trim().split("\n")) {
    const event = JSON.parse(line)
    hear(event)
    await hooks.event({ event })
    const part = event.properties.part
    if (part?.type === "tool" && part.state.status === "completed") {
      const { tool, callID, sessionID, state } = part
      const input = { tool, callID, sessionID, args: state.input }
      await hooks["tool.execute.after"](input, { title: state.title, output: state.output })
    }
    await quiet()
  }
  account[file.replace(".jsonl", "")] = [...told]
}
console.log(JSON.stringify(account))
