//! The protocol: which request is which question, and which form its answer has.

use super::arguments::{WORK_ON, instructions, offer, pack_at, question, tools, unknown_name};
use super::questions::{Question, Reply};
use super::reader::Queue;
use super::transport::Stdio;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer, ServerInitializeError, serve_server};
use serde_json::{Value, json};
use std::io;

const PAGE: usize = 200;

const MARKDOWN: &str = "text/markdown";

pub(super) fn serve(queue: Queue, agent: Option<String>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        match serve_server(McpServer { queue, agent }, Stdio::open()).await {
            Ok(session) => match session.waiting().await {
                Ok(QuitReason::JoinError(error)) | Err(error) => Err(io::Error::other(error)),
                Ok(_) => Ok(()),
            },
            // Input that ends before a session begins is the end as well.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
            Err(error) => Err(io::Error::other(reason(&error))),
        }
    });
    // A thread may wait for standard input.
    runtime.shutdown_background();
    ended
}

/// Returns why no session began, without the message that the client sent instead.
fn reason(error: &ServerInitializeError) -> String {
    match error {
        ServerInitializeError::InitializeFailed(error) => format!("the handshake failed: {}", error.message),
        ServerInitializeError::TransportError { .. } => "standard output cannot be written".to_owned(),
        _ => "the client did not begin with `initialize`, or a request that names its version".to_owned(),
    }
}

struct McpServer {
    queue: Queue,
    /// The agent that the tools that write act as; `None` if there are none.
    agent: Option<String>,
}

type CallContext = RequestContext<RoleServer>;
type RpcResult<T> = Result<T, ErrorData>;

impl McpServer {
    /// Returns what the reader answers, or why there is no answer, unless the client cancels.
    async fn ask(&self, context: &CallContext, question: Result<Question, String>) -> RpcResult<Result<Reply, String>> {
        match question {
            Ok(question) => unless_cancelled(context, self.queue.ask(question)).await,
            Err(why) => Ok(Err(why)),
        }
    }
}

async fn unless_cancelled<T>(context: &CallContext, answer: impl Future<Output = T>) -> RpcResult<T> {
    tokio::select! {
        answer = answer => Ok(answer),
        // The library sends no response to a request that was cancelled.
        () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
    }
}

/// Returns a result with a text for agents and facts for programs. With errors of the input it is an error that says them
/// below what could be answered.
fn result(reply: Reply) -> CallToolResult {
    let content = reply.texts().map(ContentBlock::text).collect();
    if reply.errors.is_empty() && !reply.is_refusal {
        let mut result = CallToolResult::success(content);
        result.structured_content = reply.facts;
        return result;
    }
    let mut result = CallToolResult::error(content);
    result.structured_content = reply.facts;
    if let Some(Value::Object(facts)) = &mut result.structured_content
        && !reply.errors.is_empty()
    {
        facts.insert("errors".to_owned(), reply.errors.into());
    }
    result
}

fn invalid(why: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(why.into(), None)
}

fn not_found(why: String) -> ErrorData {
    ErrorData::resource_not_found(why, None)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("contextpack", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions(self.agent.as_deref()))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: CallContext) -> RpcResult<ListToolsResult> {
        Ok(ListToolsResult::with_all_items(tools(self.agent.is_some()).cloned().collect()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: CallContext) -> RpcResult<CallToolResponse> {
        let writes = self.agent.is_some();
        let asked = question(&request.name, request.arguments, writes).filter(|_| request.name != WORK_ON);
        let Some(question) = asked else {
            let name = unknown_name(&request.name);
            let known: Vec<&str> = tools(writes).map(|tool| &*tool.name).collect();
            return Err(invalid(format!("there is no tool `{name}`; there are {}", known.join(", "))));
        };
        let code = question.as_ref().err().map(|_| json!({"code": "bad_request"}));
        Ok(match self.ask(&context, question).await? {
            Ok(reply) => result(reply).into(),
            Err(why) => {
                let mut refused = CallToolResult::error(vec![ContentBlock::text(why)]);
                refused.structured_content = code;
                refused.into()
            }
        })
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, _: CallContext) -> RpcResult<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(offer().prompts.clone()))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: CallContext) -> RpcResult<GetPromptResponse> {
        let asked = question(&request.name, request.arguments, false).filter(|_| request.name == WORK_ON);
        let Some(question) = asked else {
            let name = unknown_name(&request.name);
            return Err(invalid(format!("there is no prompt `{name}`; there is {WORK_ON}")));
        };
        let reply = self.ask(&context, question).await?.map_err(invalid)?;
        let messages = reply.texts().map(|text| PromptMessage::new_text(Role::User, text));
        Ok(GetPromptResult::new(messages.collect()).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: CallContext,
    ) -> RpcResult<ListResourcesResult> {
        let after = match request.and_then(|request| request.cursor) {
            None => 0,
            Some(cursor) => cursor.parse::<usize>().map_err(|_| invalid("the cursor is none of this server's"))?,
        };
        let reply = self.ask(&context, Ok(Question::Roots)).await?;
        let roots = reply.map_err(|why| ErrorData::internal_error(why, None))?.roots;
        let end = after.saturating_add(PAGE);
        let next = (end < roots.len()).then(|| end.to_string());
        let packs = roots
            .into_iter()
            .skip(after)
            .take(PAGE)
            .map(|root| Resource::new(root.address, root.name).with_title(root.title).with_mime_type(MARKDOWN));
        let mut result = ListResourcesResult::with_all_items(packs.collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: CallContext,
    ) -> RpcResult<ListResourceTemplatesResult> {
        Ok(ListResourceTemplatesResult::with_all_items(offer().templates.clone()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: CallContext,
    ) -> RpcResult<ReadResourceResponse> {
        let reply = self.ask(&context, pack_at(&request.uri).map(Question::Pack)).await?.map_err(not_found)?;
        let mime_type = if request.uri.contains("format=json") { "application/json" } else { MARKDOWN };
        let contents = reply.texts().map(|text| ResourceContents::text(text, &*request.uri).with_mime_type(mime_type));
        Ok(ReadResourceResult::new(contents.collect()).into())
    }

    async fn on_custom_request(&self, request: CustomRequest, _: CallContext) -> RpcResult<CustomResult> {
        let method = unknown_name(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None))
    }
}
