// ralph for OpenCode: tells `ralph` what happens in a session and does what it
// answers. Nothing is decided here. Written by `ralph install opencode`, removed
// by `ralph uninstall opencode`; changes are lost when it is installed again. @generated
import { spawn } from "node:child_process"

const COMMAND = ["ralph", "hook", "--agent", "opencode"]
const VERSION = 1
const PATIENCE = 5000
const LIMIT = 1000 * (5 + Number(COMMAND.join(" ").match(/--timeout=(\d+)/)?.[1] ?? 60))
// What the client or the user waits for, and what runs checks.
const WAITED = ["chat.message", "command.execute.before"]
const CHECKS = ["session.idle", "session.error", "wake"]
const EDITS = ["edit", "write", "multiedit", "apply_patch"]

type Facts = Record<string, unknown>
type Toast = { text: string; variant: string }
type Action = {
  v: number
  do: string
  run?: string
  session?: string
  like?: string
  title?: string
  text?: string
  after_ms?: number
  attempt?: number
  aside?: boolean
  off?: boolean
  toast?: Toast
}

export const Ralph = async ({ client, directory }: any) => {
  // `opencode run` ends with the turn: a loop in it would be left half way.
  const words = process.argv.slice(2)
  const isCommand = (word: string, at: number) =>
    !word.startsWith("-") && words[at - 1] !== "--log-level"
  if (words.find(isCommand) === "run") return {}
  const served = ["serve", "web", "acp"].includes(words.find(isCommand) ?? "")
  const env = { ...process.env, RALPH_HOST_HAS_USER: served ? "0" : "1" }

  const parents = new Map<string, string | undefined>()
  const queues = new Map<string, Promise<unknown>>()
  const pauses = new Map<string, () => void>()
  const commands = new Map<string, Promise<unknown>>()
  const spoken = new Map<string, number>()
  const sent = new Map<string, number>()
  const wakes = new Map<string, ReturnType<typeof setTimeout>>()
  let [complained, misfits, hangs] = [false, false, false]
  // What was said while the client started: nobody may have been looking.
  let missed: Toast | undefined

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

  // What comes before the answer, a word for the user or a deed for another
  // loop; whether it was that.
  const hint = (line: string) => {
    try {
      const action = JSON.parse(line)
      if (action.v !== VERSION) return false
      if (action.toast) void show(action.toast)
      void carryOut(undefined, action)
      return true
    } catch {
      return false
    }
  }

  // Nobody waits for a `ralph` that hangs: who gives no sign in time is ended.
  const call = (type: string, event: Facts) =>
    new Promise<{ said?: string; error?: string }>((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const end = (result: { said?: string; error?: string }) => {
        clearTimeout(timer)
        resolve(result)
      }
      try {
        const child = spawn(COMMAND[0], COMMAND.slice(1), {
          cwd: directory,
          env,
          stdio: ["pipe", "pipe", "ignore"],
        })
        const within = (time: number) => {
          clearTimeout(timer)
          timer = setTimeout(() => {
            hangs = true
            child.kill("SIGKILL")
            end({ error: `no answer within ${time / 1000} s` })
          }, time)
        }
        const patience = hangs ? PATIENCE / 5 : PATIENCE
        within(WAITED.includes(type) ? patience : CHECKS.includes(type) ? LIMIT : 6 * PATIENCE)
        let [said, odd] = ["", ""]
        child.on("error", (error) => end({ error: error.message }))
        child.on("close", (code, signal) => {
          if (code === 0) hangs = false
          const how = signal ? `ended by ${signal}` : `exit code ${code}`
          end(code === 0 ? { said: said || odd } : { error: how })
        })
        child.stdout.setEncoding("utf8")
        child.stdout.on("data", (piece) => {
          within(LIMIT)
          const lines = (said + piece).split("\n")
          said = lines.pop()!
          odd ||= lines.find((line) => !hint(line)) ?? ""
        })
        child.stdin.on("error", () => {})
        child.stdin.end(JSON.stringify(event))
      } catch (error) {
        end({ error: String(error) })
      }
    })

  const misfit = () =>
    complain(
      "The ralph plugin and the ralph program have different versions: run `ralph install opencode` again.",
    )

  const tell = async (
    type: string,
    session: string | undefined,
    facts: Facts,
  ): Promise<Action | undefined> => {
    if (misfits && WAITED.includes(type)) await misfit()
    if (missed && WAITED.includes(type)) void show(missed)
    if (WAITED.includes(type)) missed = undefined
    const { said, error } = await call(type, { v: VERSION, type, session, directory, ...facts })
    if (error !== undefined) {
      // Nobody may be looking yet, and it is said once.
      if (type === "started") return
      await complain(`\`${COMMAND[0]}\` cannot be called, so OpenCode goes on without it: ${error}`)
      return
    }
    if (!said) return
    let action: Action | undefined
    try {
      action = JSON.parse(said)
    } catch {}
    if (action?.v !== VERSION) {
      // Nobody may be looking while the client starts: the first message says it.
      misfits = true
      if (type !== "started") await misfit()
      return
    }
    if (action.toast) void show(action.toast)
    if (type === "started") missed = action.toast
    return action
  }

  const parentOf = async (session: string) => {
    if (!parents.has(session)) {
      const { data } = await client.session.get({ path: { id: session } })
      // Who does not answer is asked again.
      if (data) parents.set(session, data.parentID)
    }
    return parents.get(session)
  }

  const newest = async (session: string) => {
    const found = await client.session.messages({ path: { id: session }, query: { limit: 1 } })
    return found.data?.at(-1)
  }

  // The message that a turn ended with. What is said first to an aside is no part
  // of a turn, nor is the aside; whoever then works on has gone on with it.
  const lastOfTurn = async (session: string) => {
    const found = await client.session.messages({ path: { id: session }, query: { limit: 20 } })
    const all: any[] = found.data ?? []
    const isAside = ({ parts }: any) => parts.some((part: any) => part.metadata?.ralph === "aside")
    const asides = all.filter(isAside)
    const replies = asides.map(({ info }) => all.find((one) => one.info.parentID === info.id))
    return all.findLast((one) => !asides.includes(one) && !replies.includes(one))
  }

  const textOf = (parts: any[]) =>
    parts
      .filter((part) => part.type === "text" && !part.synthetic)
      .map((part) => part.text)
      .join("\n")

  // Waits; whether nobody else made the session go on meanwhile.
  const pause = (session: string, time: number) =>
    new Promise<boolean>((resolve) => {
      const give = () => end(false)
      const end = (undisturbed: boolean) => {
        clearTimeout(timer)
        if (pauses.get(session) === give) pauses.delete(session)
        resolve(undisturbed)
      }
      // A command that is just being answered may call it off.
      const wait = async () => {
        await commands.get(session)
        end(true)
      }
      const timer = setTimeout(wait, time)
      pauses.set(session, give)
    })

  const disturb = (session: string) => {
    spoken.set(session, (spoken.get(session) ?? 0) + 1)
    pauses.get(session)?.()
  }

  const good = async (asked: Promise<any>) => {
    const { data, error } = await asked
    if (error) throw error
    return data
  }

  const latest = async (session: string, fits: (info: any) => boolean) => {
    const found = await good(client.session.messages({ path: { id: session }, query: { limit: 20 } }))
    return found.findLast(({ info }: any) => info.role === "assistant" && fits(info))
  }

  // Whose agent and model go on: what sums a session up has others. Where
  // nobody spoke yet, it is those that the user chose.
  const speaker = async (session: string) => {
    const spoke = await latest(session, (info) => info.summary !== true).catch(() => {})
    const info = (spoke ?? (await newest(session).catch(() => {})))?.info
    return info && { ...info, ...info.model }
  }

  const isBusy = async (session: string) => {
    const status = await good(client._client.get({ url: "/session/status" }))
    return status[session] !== undefined
  }

  // Whether nobody was asked for an answer yet: words that want none begin nothing.
  const isFirst = async (session: string) => {
    const before = await newest(session)
    if (before?.info.role !== "user") return !before
    return !(await isBusy(session)) && !(await latest(session, () => true))
  }

  // Whether the user made the session go on after this message, while `ralph`
  // thought about it. A word that wants no answer does not.
  const watch = (session: string, last: Promise<any>) => {
    const before = spoken.get(session)
    return async () => {
      if (spoken.get(session) === before) return false
      const [now, then] = [await lastOfTurn(session), await last]
      const answered = now?.info.role === "assistant" && now.info.id !== then?.info.id
      return answered || (await isBusy(session))
    }
  }

  // What `ralph` can ask for, each with the facts that come of it.
  const deeds: Record<string, (action: any) => Promise<Facts>> = {
    check: async ({ session }) => {
      const { error, response } = await client.session.get({ path: { id: session } })
      return error && response?.status === 404 ? { error } : {}
    },
    summarize: async ({ session }) => {
      // One that was broken off is no summary.
      const isWhole = (info: any) => info?.summary === true && info.time?.completed && !info.error
      if (!isWhole((await newest(session))?.info)) {
        const { providerID, modelID } = await speaker(session)
        const body = { providerID, modelID }
        await good(client.session.summarize({ path: { id: session }, body }))
      }
      const summary = await latest(session, (info) => info.summary === true)
      return { text: textOf(summary?.parts ?? []), error: summary?.info.error }
    },
    create: async ({ title }) => {
      const known = await good(client.session.list())
      const same = known.find((session: any) => session.title === title)
      const { id } = same ?? (await good(client.session.create({ body: { title } })))
      return { created: id }
    },
    select: async ({ session }) => {
      const body = { sessionID: session }
      await good(client._client.post({ url: "/tui/select-session", body }))
      return {}
    },
    prompt: async ({ run, session, like, text, after_ms, isOvertaken }) => {
      if (!(await pause(session, after_ms ?? 0)) && !run) return {}
      if (!run && (await isOvertaken?.().catch(() => false))) return {}
      if (run && (await newest(session))) return {}
      const info = await speaker(like ?? session)
      const model = info?.modelID && { providerID: info.providerID, modelID: info.modelID }
      const parts = [{ type: "text", text, metadata: { ralph: "prompt" } }]
      const body = { parts, agent: info?.agent, model: model || undefined }
      await good(client.session.promptAsync({ path: { id: session }, body }))
      sent.set(session, (sent.get(session) ?? 0) + 1)
      return {}
    },
    // Asks `ralph` again later. It knows whether there is anything left to do.
    wake: async ({ session, after_ms }) => {
      clearTimeout(wakes.get(session))
      const timer = setTimeout(() => {
        wakes.delete(session)
        queue(session, async () => carryOut(session, await tell("wake", session, {})))
      }, after_ms)
      timer.unref?.()
      wakes.set(session, timer)
      return {}
    },
    delete: async ({ session }) => {
      if (await isBusy(session)) await client.session.abort({ path: { id: session } })
      for (let left = 50; left && (await isBusy(session)); left--) {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      await good(client.session.delete({ path: { id: session } }))
      return {}
    },
  }

  // Does what `ralph` wants, says what came of it, and does what it wants then.
  const carryOut = async (
    here: string | undefined,
    action: Action | undefined,
    isOvertaken?: () => Promise<boolean>,
  ) => {
    while (action && deeds[action.do]) {
      const { do: did, run, attempt, session = here } = action
      here = session
      let facts: Facts
      try {
        facts = await deeds[did]({ ...action, session, isOvertaken })
      } catch (error) {
        facts = { error: error instanceof Error ? error.message : error }
      }
      if (!run && !facts.error) return
      action = await tell(run ? "done" : "prompt.failed", session, { did, run, attempt, ...facts })
    }
  }

  const ended = async (
    type: string,
    session: string,
    facts: Facts,
    last: any,
    isOvertaken: () => Promise<boolean>,
  ) => {
    const spoke = last?.info.role === "assistant" ? last : undefined
    if (type === "session.idle" && !spoke) return
    const message = spoke && {
      id: spoke.info.id,
      text: textOf(spoke.parts),
      summary: spoke.info.summary === true,
    }
    const plans = [spoke?.info.agent, spoke?.info.mode].includes("plan")
    const mode = plans ? "plan" : undefined
    await carryOut(session, await tell(type, session, { ...facts, message, mode }), isOvertaken)
  }

  // Events of one session are told one after the other, in their order.
  const queue = <T>(session: string, job: () => Promise<T>) => {
    const before = queues.get(session) ?? Promise.resolve()
    const after = before.then(job).catch(() => undefined)
    queues.set(session, after)
    void after.then(() => queues.get(session) === after && queues.delete(session))
    return after
  }

  const heard = (event: any) => {
    const { type, properties } = event
    const session = properties?.sessionID ?? properties?.info?.id
    if (!session) return
    if (type === "session.deleted") {
      disturb(session)
      if (properties.info?.parentID) return
      queue(session, () => tell(type, session, {}))
    } else if (type === "session.idle" || type === "session.error") {
      // Asked for at once: by the time it is told, the next turn may have begun.
      const last = lastOfTurn(session).catch(() => undefined)
      const isOvertaken = watch(session, last)
      const before = sent.get(session)
      queue(session, async () => {
        if (await parentOf(session)) return
        // A summary cuts no turn short that was begun after it.
        if ((await last)?.info.summary === true && sent.get(session) !== before) return
        await ended(type, session, { error: properties.error }, await last, isOvertaken)
      })
    } else if (type === "session.compacted") {
      queue(session, async () => {
        if (!(await parentOf(session))) await tell(type, session, {})
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
    if (action.aside) part.metadata = { ralph: "aside" }
  }

  // Whoever was here before may have died in the middle of something.
  void tell("started", undefined, {}).then((action) => carryOut(undefined, action))

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
        disturb(sessionID)
        if (await parentOf(sessionID)) return
        const first = await isFirst(sessionID)
        change(parts, await tell("chat.message", sessionID, { text, first }))
      } catch {}
    },
    "command.execute.before": async (input: any, { parts }: any) => {
      try {
        // The mark keeps what a command became from being told as a message.
        for (const part of parts) if (part.type === "text") part.metadata = { ralph: "command" }
        const { command, sessionID } = input
        if (command !== "ralph" && command !== "cancel-ralph") return disturb(sessionID)
        const facts = { command, arguments: input.arguments ?? "" }
        const answered = tell("command.execute.before", sessionID, facts)
        commands.set(sessionID, answered)
        const action = await answered
        if (commands.get(sessionID) === answered) commands.delete(sessionID)
        if (!action?.aside || action.off) disturb(sessionID)
        change(parts, action)
      } catch {}
    },
    // What tools run has no use for the password of the client.
    "shell.env": async (input: any, { env }: any) => {
      // Nobody but an agent types what has this.
      env.RALPH_HOST_SESSION = input?.sessionID || "opencode"
      if (process.env.OPENCODE_SERVER_PASSWORD) env.OPENCODE_SERVER_PASSWORD = ""
    },
    // Nobody but the client knows which session asks about a loop or takes notes.
    "tool.execute.before": async ({ tool, sessionID }: any, { args }: any) => {
      try {
        if (!/^ralph_(loop_start|loop_status|memory_[a-z]+|approach_check)$/.test(tool)) return
        args.session = (await parentOf(sessionID)) ?? sessionID
      } catch {}
    },
    "tool.execute.after": async (input: any, output: any) => {
      try {
        const { tool, sessionID, callID, args } = input
        const told = queue(sessionID, async () => {
          const parent = await parentOf(sessionID)
          const title = String(output?.title ?? "")
          const facts = { tool, call: callID, title, args, parent }
          return await tell("tool.execute.after", sessionID, facts)
        })
        // What an edit made worse belongs to what it returns. Nothing else is
        // waited for, nor an answer that comes behind gates which take their time.
        if (!EDITS.includes(tool)) return
        let timer: ReturnType<typeof setTimeout> | undefined
        const late = new Promise<undefined>((resolve) => {
          timer = setTimeout(resolve, PATIENCE, undefined)
        })
        const action = await Promise.race([told, late])
        clearTimeout(timer)
        if (action?.do === "append") output.output += action.text
      } catch {}
    },
  }
}
