//! The protocol: which request is which question, and which form its answer has.

use super::answers::{self, Answer, Explained};
use super::jobs::Jobs;
use super::resources;
use super::subscriptions::{Change, MOST, Subscribed, follow, hash_of};
use super::target::Arguments;
use super::tools::{self, EXPLAIN, INSTRUCTIONS, LIST, MARKDOWN, PACK, WORK_ON};
use super::transport::Stdio;
use crate::console::printable;
use crate::console::without_secrets;
use crate::model::heading_in_line;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, QuitReason, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext,
    serve_server,
};
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// How many packs one page of a list has.
const PAGE: usize = 200;

/// Speaks the protocol on standard input and output until input ends.
pub(super) fn serve(jobs: Arc<Jobs>, readings: watch::Receiver<u64>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let server = Server { jobs, readings, subscribed: Subscribed::default(), follows: AtomicBool::new(false) };
    let ended = runtime.block_on(async {
        match serve_server(server, Stdio::open()).await {
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

/// The server, as the protocol library calls it.
struct Server {
    jobs: Arc<Jobs>,
    readings: watch::Receiver<u64>,
    /// The subscriptions of a client of the versions with a handshake.
    subscribed: Subscribed,
    /// Whether such a client is told changes already.
    follows: AtomicBool,
}

impl Server {
    /// Returns the answer of the engine, unless the client cancels.
    async fn unless_cancelled<T>(
        context: &RequestContext<RoleServer>,
        answer: impl Future<Output = Result<T, String>>,
    ) -> Result<Result<T, String>, ErrorData> {
        tokio::select! {
            answer = answer => Ok(answer),
            // The library sends no response to a request that was cancelled.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn pack(&self, arguments: Arguments) -> Result<CallToolResult, String> {
        let query = arguments.pack().map_err(|failure| failure.in_full())?;
        let writes_cache = query.agent.is_some();
        let pack = self.jobs.ask(writes_cache, move |repository, project| answers::pack(repository, project, &query));
        let answer = pack.await?;
        Ok(result(&answer, answer.value.text.clone(), Some(&answer.value.facts)))
    }

    async fn list(&self, arguments: Arguments) -> Result<CallToolResult, String> {
        let query = arguments.items().map_err(|failure| failure.in_full())?;
        let list = self.jobs.ask(false, move |repository, project| answers::items(repository, project, &query)).await?;
        Ok(result(&list, list.value.text(), Some(&list.value)))
    }

    async fn explain(&self, arguments: Arguments) -> Result<CallToolResult, String> {
        let (root, why_not) = arguments.explain().map_err(|failure| failure.in_full())?;
        let answer = self.jobs.ask(false, move |repository, project| {
            answers::explanation(repository, project, &root, why_not.as_deref())
        });
        let answer = answer.await?;
        Ok(match &answer.value {
            Explained::Pack(text) => result(&answer, text.clone(), None::<&()>),
            Explained::WhyNot(why) => {
                let help = why.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
                result(&answer, format!("{}: {}{help}", why.asked, why.message), Some(why))
            }
        })
    }

    /// Tells a client of the versions with a handshake every change, from the first call on.
    fn follow(&self, peer: Peer<RoleServer>) {
        if self.follows.swap(true, Ordering::SeqCst) {
            return;
        }
        let (jobs, readings, subscribed) = (Arc::clone(&self.jobs), self.readings.clone(), self.subscribed.clone());
        tokio::spawn(async move {
            let tell = |change| {
                let peer = peer.clone();
                async move {
                    let told = match change {
                        Change::List => peer.notify_resource_list_changed().await,
                        Change::Pack(address) => {
                            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(address)).await
                        }
                    };
                    told.is_ok()
                }
            };
            let since = *readings.borrow();
            follow(&jobs, readings, (&subscribed, true, since), tell).await;
        });
    }
}

/// Returns a result with a text for agents and facts for programs. With errors of the input it is an error that says them
/// below what could be answered.
fn result<T>(answer: &Answer<T>, text: String, facts: Option<&impl Serialize>) -> CallToolResult {
    let mut content = vec![ContentBlock::text(text)];
    content.extend(answer.error_text().map(ContentBlock::text));
    let mut result =
        if answer.errors.is_empty() { CallToolResult::success(content) } else { CallToolResult::error(content) };
    result.structured_content = facts.and_then(|facts| serde_json::to_value(facts).ok());
    if let Some(Value::Object(facts)) = &mut result.structured_content
        && !answer.errors.is_empty()
    {
        facts.insert("errors".to_owned(), answer.errors.clone().into());
    }
    result
}

/// The longest part of an unknown name that is sent back, in characters.
const LONGEST_NAME: usize = 80;

/// Returns the beginning of an unknown name, on one line and without secrets, to be sent back.
pub(super) fn unknown_name(name: &str) -> String {
    // A secret is found whole, also where its end is not sent.
    let examined: String = name.chars().take(20 * LONGEST_NAME).collect();
    let clean = without_secrets(&examined);
    let begin: String = clean.chars().take(LONGEST_NAME).collect();
    let cut = if begin.len() < clean.len() { "…" } else { "" };
    format!("{}{cut}", printable(&begin))
}

/// Returns the error of a request that names something wrong.
fn invalid(why: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(why.into(), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("contextpack", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Arguments::new(request.arguments);
        let answer = async {
            match request.name.as_ref() {
                PACK => self.pack(arguments).await.map(Some),
                LIST => self.list(arguments).await.map(Some),
                EXPLAIN => self.explain(arguments).await.map(Some),
                _ => Ok(None),
            }
        };
        match Self::unless_cancelled(&context, answer).await? {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) => {
                let name = unknown_name(&request.name);
                Err(invalid(format!("there is no tool `{name}`; there are {PACK}, {LIST} and {EXPLAIN}")))
            }
            Err(why) => Ok(CallToolResult::error(vec![ContentBlock::text(why)]).into()),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(tools::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != WORK_ON {
            let name = unknown_name(&request.name);
            return Err(invalid(format!("there is no prompt `{name}`; there is {WORK_ON}")));
        }
        let root = Arguments::new(request.arguments).prompt().map_err(|failure| invalid(failure.in_full()))?;
        let answer = self.jobs.ask(false, move |repository, project| answers::work_on(repository, project, &root));
        let answer = Self::unless_cancelled(&context, answer).await?.map_err(invalid)?;
        let errors = answer.error_text();
        let texts = std::iter::once(answer.value).chain(errors);
        Ok(GetPromptResult::new(texts.map(|text| PromptMessage::new_text(Role::User, text)).collect()).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let after = match request.and_then(|request| request.cursor) {
            None => 0,
            Some(cursor) => cursor.parse::<usize>().map_err(|_| invalid("the cursor is none of this server's"))?,
        };
        let answer = self.jobs.ask(false, |repository, project| {
            let profile = answers::default_profile(repository);
            Ok((profile, answers::roots(repository, project)?))
        });
        let answer = Self::unless_cancelled(&context, answer).await?;
        let (profile, roots) = answer.map_err(|why| ErrorData::internal_error(why, None))?;
        let packs = roots.iter().skip(after).take(PAGE).map(|root| {
            let resource = Resource::new(resources::address(&root.id, &profile), heading_in_line(&root.id));
            resource.with_title(root.marked_title()).with_mime_type(MARKDOWN)
        });
        let mut result = ListResourcesResult::with_all_items(packs.collect());
        let end = after.saturating_add(PAGE);
        result.next_cursor = (end < roots.len()).then(|| end.to_string());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(tools::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let not_found = |why: String| ErrorData::resource_not_found(why, None);
        let query = resources::query(&request.uri).map_err(|failure| not_found(failure.in_full()))?;
        let answer = self.jobs.ask(false, move |repository, project| answers::pack(repository, project, &query));
        let pack = Self::unless_cancelled(&context, answer).await?.map_err(not_found)?;
        let errors = pack.error_text();
        let texts = std::iter::once(pack.value.text).chain(errors);
        let contents = texts.map(|text| ResourceContents::text(text, &*request.uri).with_mime_type(MARKDOWN));
        Ok(ReadResourceResult::new(contents.collect()).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // If the repository is read again meanwhile, whoever follows the readings may not know of this pack yet.
        let mut reading = None;
        while reading != Some(*self.readings.borrow()) {
            reading = Some(*self.readings.borrow());
            let hash = Self::unless_cancelled(&context, hash_of(&self.jobs, &request.uri)).await?;
            let hash = hash.map_err(|why| ErrorData::resource_not_found(why, None))?;
            if !self.subscribed.add(request.uri.clone(), Some(hash)) {
                return Err(invalid(format!("a client subscribes to at most {MOST} packs")));
            }
        }
        self.follow(context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed.remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.follow(context.peer);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let is_pack = |address: &&String| resources::query(address).is_ok();
        let packs = requested.resource_subscriptions.iter().flatten().filter(is_pack).take(MOST).cloned();
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = Some(packs.collect::<Vec<String>>()).filter(|packs| !packs.is_empty());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let since = *self.readings.borrow();
        let accepted = context.accepted();
        let subscribed = Subscribed::default();
        for address in accepted.resource_subscriptions.iter().flatten() {
            let hash = hash_of(&self.jobs, address).await.ok();
            subscribed.add(address.clone(), hash);
        }
        let tell = |change| async {
            let told = match change {
                Change::List => context.sink().notify_resource_list_changed().await,
                Change::Pack(address) => context.sink().notify_resource_updated(address).await,
            };
            told.is_ok()
        };
        let lists = accepted.resources_list_changed == Some(true);
        tokio::select! {
            () = follow(&self.jobs, self.readings.clone(), (&subscribed, lists, since), tell) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: rmcp::model::CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::CustomResult, ErrorData> {
        let method = unknown_name(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None))
    }
}
