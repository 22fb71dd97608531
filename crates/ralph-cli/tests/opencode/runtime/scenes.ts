// What the plugin does with answers, without a model: one object per scene,
// with all that was told and all that reached the client.
import { Ralph } from "./ralph.ts"
import { quiet, scene, told, world } from "./world.ts"

const session = "ses_1"
const account: Record<string, unknown> = {}
const idle = { type: "session.idle", properties: { sessionID: session } }
const spoke = { id: "msg_1", role: "assistant", sessionID: session, agent: "build" }
const action = (what: string, more = {}) => ({ v: 1, do: what, text: "go on", ...more })

type Answers = Record<string, any>

const play = async (name: string, answers: Answers, act: (hooks: any) => Promise<unknown>) => {
  const { client, hear, prompts, toasts } = world()
  hear({ type: "session.created", properties: { info: { id: session } } })
  hear({ type: "message.updated", properties: { info: spoke } })
  scene.answer = ({ type }) => answers[type]
  const hooks: any = await Ralph({ client, directory: "/p" })
  await quiet()
  told.length = 0
  const came = await act(hooks)
  await new Promise((resolve) => setTimeout(resolve, 60))
  await quiet()
  account[name] = {
    told: told.map((event) => event.type),
    ends: told.filter((event) => event.message).map((event) => event.message.id),
    prompts: prompts.map((sent) => sent.body.parts[0].text),
    toasts: toasts.map((toast) => toast.message),
    came,
  }
}

const typed = (text: string) => ({ parts: [{ type: "text", text }] })
const soon = { "session.idle": action("prompt", { after_ms: 20 }) }

await play("goes on", soon, (hooks) => hooks.event({ event: idle }))
await play("gives way to a word", soon, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  await hooks["chat.message"]({ sessionID: session }, typed("wait"))
})
await play("gives way to a command", soon, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  const input = { command: "cancel-ralph", sessionID: session, arguments: "" }
  await hooks["command.execute.before"](input, typed(""))
})
await play("gives way to the end of the session", soon, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  const properties = { sessionID: session, info: { id: session } }
  await hooks.event({ event: { type: "session.deleted", properties } })
})
const error = { name: "APIError", data: { message: "bad request", statusCode: 400 } }
const broken = { "session.error": action("prompt", { after_ms: 20 }) }
await play("is told of silences as they were", broken, async (hooks) => {
  await hooks.event({ event: { ...idle, type: "session.error", properties: { sessionID: session, error } } })
  await hooks.event({ event: idle })
  await hooks.event({ event: idle })
})
const limited = { "session.idle": action("wake", { after_ms: 10 }) }
const woken = { ...limited, wake: action("prompt", { after_ms: 1 }) }
await play("wakes once", woken, (hooks) => hooks.event({ event: idle }))
await play("wakes for nothing", limited, (hooks) => hooks.event({ event: idle }))
await play("wakes once for the last", woken, async (hooks) => {
  await hooks.event({ event: idle })
  await hooks.event({ event: idle })
})
const worse = { "tool.execute.after": action("append", { text: "\n\nworse" }) }
for (const tool of ["write", "apply_patch", "bash"]) {
  await play(`returns from ${tool}`, worse, async (hooks) => {
    const output = { title: "", output: "done" }
    await hooks["tool.execute.after"]({ tool, sessionID: session, args: {} }, output)
    return output.output
  })
}
const busy = { ...worse, "session.idle": action("prompt", { after_ms: 2000 }) }
await play("returns although a prompt is due", busy, async (hooks) => {
  await hooks.event({ event: idle })
  const output = { title: "", output: "done" }
  await hooks["tool.execute.after"]({ tool: "edit", sessionID: session, args: {} }, output)
  return output.output
})
await play("does not know the words", { "session.idle": { v: 9, do: "prompt" } }, async (hooks) => {
  await hooks.event({ event: idle })
  await hooks.event({ event: idle })
})
console.log(JSON.stringify(account))
process.exit(0)
