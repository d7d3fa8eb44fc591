//! The protocol: which request is which question, and which form its answer has.

use super::arguments::{EXPLAIN, LIST, PACK, WORK_ON, offer, pack_at, question, unknown_name};
use super::questions::{ListedRoot, Question, Reply};
use super::reader::Queue;
use super::transport::Stdio;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, QuitReason, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext,
    serve_server,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

const PAGE: usize = 200;

const MARKDOWN: &str = "text/markdown";

pub(super) fn serve(queue: Arc<Queue>, readings: watch::Receiver<u64>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let server = McpServer { queue, readings, subscribed: Subscribed::default(), follows: AtomicBool::new(false) };
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

struct McpServer {
    queue: Arc<Queue>,
    readings: watch::Receiver<u64>,
    /// The subscriptions of a client of the versions with a handshake.
    subscribed: Subscribed,
    follows: AtomicBool,
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

    /// Notifies a client of the versions with a handshake of every change, from the first call on.
    fn follow(&self, peer: Peer<RoleServer>) {
        if self.follows.swap(true, Ordering::SeqCst) {
            return;
        }
        let (queue, readings, subscribed) = (Arc::clone(&self.queue), self.readings.clone(), self.subscribed.clone());
        tokio::spawn(async move {
            let notify = |change| {
                let peer = peer.clone();
                async move {
                    let sent = match change {
                        ClientNotification::List => peer.notify_resource_list_changed().await,
                        ClientNotification::Pack(address) => {
                            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(address)).await
                        }
                    };
                    sent.is_ok()
                }
            };
            let since = *readings.borrow();
            follow(&queue, readings, (&subscribed, true, since), notify).await;
        });
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
    if reply.errors.is_empty() {
        let mut result = CallToolResult::success(content);
        result.structured_content = reply.facts;
        return result;
    }
    let mut result = CallToolResult::error(content);
    result.structured_content = reply.facts;
    if let Some(Value::Object(facts)) = &mut result.structured_content {
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
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("contextpack", env!("CARGO_PKG_VERSION")))
            .with_instructions(&*offer().instructions)
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: CallContext) -> RpcResult<ListToolsResult> {
        Ok(ListToolsResult::with_all_items(offer().tools.clone()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: CallContext) -> RpcResult<CallToolResponse> {
        let Some(question) = question(&request.name, request.arguments).filter(|_| request.name != WORK_ON) else {
            let name = unknown_name(&request.name);
            return Err(invalid(format!("there is no tool `{name}`; there are {PACK}, {LIST} and {EXPLAIN}")));
        };
        Ok(match self.ask(&context, question).await? {
            Ok(reply) => result(reply).into(),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]).into(),
        })
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, _: CallContext) -> RpcResult<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(offer().prompts.clone()))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: CallContext) -> RpcResult<GetPromptResponse> {
        let Some(question) = question(&request.name, request.arguments).filter(|_| request.name == WORK_ON) else {
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

    async fn subscribe(&self, request: SubscribeRequestParams, context: CallContext) -> RpcResult<()> {
        // If the repository is read again meanwhile, whoever follows the readings may not know of this pack yet.
        let mut reading = None;
        while reading != Some(*self.readings.borrow()) {
            reading = Some(*self.readings.borrow());
            let hash = unless_cancelled(&context, hash_of(&self.queue, &request.uri)).await?.map_err(not_found)?;
            if !self.subscribed.add(request.uri.clone(), Some(hash)) {
                return Err(invalid(format!("a client subscribes to at most {MAX_SUBSCRIPTIONS} packs")));
            }
        }
        self.follow(context.peer);
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: CallContext) -> RpcResult<()> {
        self.subscribed.remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.follow(context.peer);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let is_pack = |address: &&String| pack_at(address).is_ok();
        let packs = requested.resource_subscriptions.iter().flatten().filter(is_pack).take(MAX_SUBSCRIPTIONS).cloned();
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = Some(packs.collect::<Vec<String>>()).filter(|packs| !packs.is_empty());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> RpcResult<()> {
        let since = *self.readings.borrow();
        let accepted = context.accepted();
        let subscribed = Subscribed::default();
        for address in accepted.resource_subscriptions.iter().flatten() {
            let hash = hash_of(&self.queue, address).await.ok();
            subscribed.add(address.clone(), hash);
        }
        let notify = |change| async {
            let sent = match change {
                ClientNotification::List => context.sink().notify_resource_list_changed().await,
                ClientNotification::Pack(address) => context.sink().notify_resource_updated(address).await,
            };
            sent.is_ok()
        };
        let lists = accepted.resources_list_changed == Some(true);
        tokio::select! {
            () = follow(&self.queue, self.readings.clone(), (&subscribed, lists, since), notify) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn on_custom_request(&self, request: CustomRequest, _: CallContext) -> RpcResult<CustomResult> {
        let method = unknown_name(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None))
    }
}

pub(super) const MAX_SUBSCRIPTIONS: usize = 64;

/// The packs that a client subscribed to, by their addresses, each with its hash when it was last built, if it could be.
#[derive(Clone, Default)]
pub(super) struct Subscribed(Arc<Mutex<BTreeMap<String, Option<String>>>>);

#[derive(Debug)]
pub(super) enum ClientNotification {
    List,
    Pack(String),
}

impl Subscribed {
    pub(super) fn add(&self, address: String, hash: Option<String>) -> bool {
        let mut packs = self.lock();
        let has_room = packs.len() < MAX_SUBSCRIPTIONS || packs.contains_key(&address);
        if has_room {
            packs.insert(address, hash);
        }
        has_room
    }

    pub(super) fn remove(&self, address: &str) {
        self.lock().remove(address);
    }

    fn addresses(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Replaces the hash of a pack, and returns whether it is another. A pack that was removed meanwhile did not change.
    fn replace(&self, address: &str, hash: Option<String>) -> bool {
        self.lock().get_mut(address).is_some_and(|known| std::mem::replace(known, hash.clone()) != hash)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Option<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn hash_of(queue: &Queue, address: &str) -> Result<String, String> {
    Ok(queue.ask(Question::Hash(pack_at(address)?)).await?.text)
}

async fn roots(queue: &Queue) -> Option<Vec<ListedRoot>> {
    Some(queue.ask(Question::Roots).await.ok()?.roots)
}

/// Calls `notify` for every change until the reader ends or nobody can be notified. `lists` says whether the list counts, and
/// `since` is the number of the reading from which on changes count; what may have changed before the first look counts too.
pub(super) async fn follow<F: Future<Output = bool>>(
    queue: &Queue,
    mut readings: watch::Receiver<u64>,
    (subscribed, lists, since): (&Subscribed, bool, u64),
    notify: impl Fn(ClientNotification) -> F,
) {
    readings.mark_unchanged();
    let mut list = if lists { roots(queue).await } else { None };
    // The first reading is no change.
    if since.max(1) != *readings.borrow() {
        let list = lists.then_some(ClientNotification::List);
        for change in list.into_iter().chain(subscribed.addresses().into_iter().map(ClientNotification::Pack)) {
            if !notify(change).await {
                return;
            }
        }
    }
    while readings.changed().await.is_ok() {
        if lists {
            let now = roots(queue).await;
            // While the repo cannot be read, the last list is the best that is known.
            if now.is_some() && now != list {
                list = now;
                if !notify(ClientNotification::List).await {
                    return;
                }
            }
        }
        for address in subscribed.addresses() {
            let hash = hash_of(queue, &address).await.ok();
            if subscribed.replace(&address, hash) && !notify(ClientNotification::Pack(address)).await {
                return;
            }
        }
    }
}
