// ralph for OpenCode: tells `ralph` what happens in a session and does what it
// answers. Nothing is decided here. Written by `ralph install opencode`, removed
// by `ralph uninstall opencode`; changes are lost when it is installed again.
import { spawn } from "node:child_process"

const COMMAND = ["ralph", "hook", "--agent", "opencode"]
const VERSION = 1

type Facts = Record<string, unknown>
type Toast = { text: string; variant: string }
type Action = {
  v: number
  do: string
  text?: string
  after_ms?: number
  attempt?: number
  toast?: Toast
}

export const Ralph = async ({ client, directory }: any) => {
  // `opencode run` ends with the turn: a loop in it would be left half way.
  if (process.argv.slice(2).find((word) => !word.startsWith("-")) === "run") return {}

  const parents = new Map<string, string | undefined>()
  const queues = new Map<string, Promise<void>>()
  let complained = false

  const show = async (toast: Toast) => {
    try {
      const body = { title: "ralph", message: toast.text, variant: toast.variant }
      await client.tui.showToast({ body })
    } catch {}
  }

  const complain = async (text: string) => {
    if (complained) return
    complained = true
    await show({ text, variant: "warning" })
  }

  const call = (event: Facts) =>
    new Promise<{ said?: string; error?: string }>((resolve) => {
      try {
        const child = spawn(COMMAND[0], COMMAND.slice(1), {
          cwd: directory,
          stdio: ["pipe", "pipe", "ignore"],
        })
        let said = ""
        child.on("error", (error) => resolve({ error: error.message }))
        child.on("close", (code) => resolve(code === 0 ? { said } : { error: `exit code ${code}` }))
        child.stdout.setEncoding("utf8")
        child.stdout.on("data", (piece) => (said += piece))
        child.stdin.on("error", () => {})
        child.stdin.end(JSON.stringify(event))
      } catch (error) {
        resolve({ error: String(error) })
      }
    })

  const tell = async (type: string, session: string, facts: Facts): Promise<Action | undefined> => {
    const { said, error } = await call({ v: VERSION, type, session, directory, ...facts })
    if (error !== undefined) {
      await complain(`\`${COMMAND[0]}\` cannot be called, so there are no loops: ${error}`)
      return
    }
    if (!said) return
    let action: Action | undefined
    try {
      action = JSON.parse(said)
    } catch {}
    if (action?.v !== VERSION) {
      await complain("The plugin and the program do not fit: run `ralph install opencode` again")
      return
    }
    if (action.toast) void show(action.toast)
    return action
  }

  const parentOf = async (session: string) => {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } })
      parents.set(session, found.data?.parentID)
    }
    return parents.get(session)
  }

  const newest = async (session: string) => {
    const found = await client.session.messages({ path: { id: session }, query: { limit: 1 } })
    return found.data?.at(-1)
  }

  const textOf = (parts: any[]) =>
    parts
      .filter((part) => part.type === "text" && !part.synthetic)
      .map((part) => part.text)
      .join("\n")

  // Sends what `ralph` wants said, with the agent and the model of the session.
  const prompt = async (session: string, action: Action | undefined, info: any) => {
    while (action?.do === "prompt") {
      const { text, attempt, after_ms } = action
      await new Promise((resolve) => setTimeout(resolve, after_ms))
      let error: unknown
      try {
        const model = info?.modelID && { providerID: info.providerID, modelID: info.modelID }
        const parts = [{ type: "text", text, metadata: { ralph: "prompt" } }]
        const body = { parts, agent: info?.agent, model: model || undefined }
        error = (await client.session.promptAsync({ path: { id: session }, body })).error
      } catch (thrown) {
        error = String(thrown)
      }
      if (!error) return
      action = await tell("prompt.failed", session, { attempt, error })
    }
  }

  const ended = async (type: string, session: string, facts: Facts) => {
    const last = await newest(session)
    const spoke = last?.info.role === "assistant" ? last : undefined
    if (type === "session.idle" && !spoke) return
    const message = spoke && {
      id: spoke.info.id,
      text: textOf(spoke.parts),
      summary: spoke.info.summary === true,
    }
    await prompt(session, await tell(type, session, { ...facts, message }), spoke?.info)
  }

  // Events of one session are told one after the other, in their order.
  const queue = (session: string, job: () => Promise<unknown>) => {
    const before = queues.get(session) ?? Promise.resolve()
    const after = before.then(job).then(
      () => {},
      () => {},
    )
    queues.set(session, after)
    void after.then(() => queues.get(session) === after && queues.delete(session))
  }

  const heard = (event: any) => {
    const { type, properties } = event
    const session = properties?.sessionID ?? properties?.info?.id
    if (!session) return
    if (type === "session.deleted") {
      if (properties.info?.parentID) return
      queue(session, () => tell(type, session, {}))
    } else if (type === "session.idle" || type === "session.error") {
      queue(session, async () => {
        if (await parentOf(session)) return
        await ended(type, session, { error: properties.error })
      })
    } else if (type === "permission.asked" || type === "permission.replied") {
      queue(session, async () => {
        if (await parentOf(session)) return
        const { permission, patterns } = properties
        await tell(type, session, { permission, patterns })
      })
    }
  }

  const change = (parts: any[], action: Action | undefined) => {
    const part = parts.find((part) => part.type === "text" && !part.synthetic)
    if (!part || !action) return
    if (action.do === "append") part.text += action.text
    if (action.do === "replace") part.text = action.text
  }

  return {
    event: async ({ event }: any) => {
      try {
        heard(event)
      } catch {}
    },
    "chat.message": async ({ sessionID }: any, { parts }: any) => {
      try {
        const text = textOf(parts)
        if (!text || parts.some((part: any) => part.metadata?.ralph)) return
        if (await parentOf(sessionID)) return
        const first = !(await newest(sessionID))
        change(parts, await tell("chat.message", sessionID, { text, first }))
      } catch {}
    },
    "command.execute.before": async (input: any, { parts }: any) => {
      try {
        // The mark keeps what a command became from being told as a message.
        for (const part of parts) if (part.type === "text") part.metadata = { ralph: "command" }
        const { command, sessionID } = input
        if (command !== "ralph" && command !== "cancel-ralph") return
        const facts = { command, arguments: input.arguments ?? "" }
        change(parts, await tell("command.execute.before", sessionID, facts))
      } catch {}
    },
    // Nobody but the client knows which session asks for a loop.
    "tool.execute.before": async ({ tool, sessionID }: any, { args }: any) => {
      try {
        if (tool !== "ralph_loop_start") return
        args.session = (await parentOf(sessionID)) ?? sessionID
      } catch {}
    },
    "tool.execute.after": async (input: any, output: any) => {
      try {
        const { tool, sessionID, callID, args } = input
        queue(sessionID, async () => {
          const parent = await parentOf(sessionID)
          const title = String(output?.title ?? "")
          await tell("tool.execute.after", sessionID, { tool, call: callID, title, args, parent })
        })
      } catch {}
    },
  }
}
