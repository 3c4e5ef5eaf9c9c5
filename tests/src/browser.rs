//! A page in headless Chromium, by way of ChromeDriver and the WebDriver protocol (W3C, 2018): JSON over HTTP.
//!
//! One request a connection, of which the driver takes few: a client library would bring more than is used.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// Longest wait for one answer of the driver.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// Where an answer names an element (W3C WebDriver, §11.1).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// What the browser keeps.
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one; `None` where this machine has no Chromium with its driver.
    pub fn start() -> Result<Option<Self>> {
        if !["chromedriver", "chromium"].into_iter().all(runs) {
            return Ok(None);
        }
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let port = port_of(&mut driver)?;
        let profile = tempfile::tempdir()?;
        let mut browser = Self {
            driver,
            port,
            session: String::new(),
            _profile: profile,
        };
        let data = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments = [
            "--headless",
            // Its own sandbox wants user namespaces, which not every machine has; the pages are ours.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            &data,
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = browser.ask("POST", "/session", &wanted)?;
        let id = session["sessionId"].as_str().context("no session")?;
        browser.session = format!("/session/{id}");
        Ok(Some(browser))
    }

    /// Opens a file and waits for it.
    pub fn open(&self, page: &Path) -> Result<()> {
        let address = format!("file://{}", page.display());
        self.post("/url", &json!({ "url": address })).map(drop)
    }

    /// The address shown.
    pub fn address(&self) -> Result<String> {
        let found = self.ask("GET", &format!("{}/url", self.session), &Value::Null)?;
        Ok(found.as_str().unwrap_or_default().to_owned())
    }

    /// Runs a script in the page; what it returns.
    pub fn run(&self, script: &str) -> Result<Value> {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Types into the element that has the focus.
    pub fn press(&self, keys: &str) -> Result<()> {
        let keys = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()}))
        });
        let actions: Vec<Value> = keys.collect();
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": actions});
        self.post("/actions", &json!({"actions": [keyboard]}))
            .map(drop)
    }

    /// Clicks the first element of a selector.
    pub fn click(&self, selector: &str) -> Result<()> {
        let found = self.post(
            "/element",
            &json!({"using": "css selector", "value": selector}),
        )?;
        let id = found[ELEMENT].as_str().context("no such element")?;
        self.post(&format!("/element/{id}/click"), &json!({}))
            .map(drop)
    }

    /// A command of the browser's own protocol.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        let command = json!({"cmd": command, "params": parameters});
        self.post("/goog/cdp/execute", &command)
    }

    /// What the page wrote to the console, and what the browser refused it, since the last call.
    pub fn console(&self) -> Result<Vec<String>> {
        let entries = self.post("/se/log", &json!({"type": "browser"}))?;
        let messages = entries.as_array().context("no log")?.iter();
        Ok(messages.map(|entry| entry["message"].to_string()).collect())
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.ask("POST", &format!("{}{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(MAX_WAIT))?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let answer = body_of(BufReader::new(stream))?;
        let answer: Value = serde_json::from_slice(&answer)?;
        let error = &answer["value"]["error"];
        ensure!(error.is_null(), "{method} {path}: {}", answer["value"]);
        Ok(answer["value"].clone())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.ask("DELETE", &self.session, &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn runs(program: &str) -> bool {
    let said = Command::new(program).arg("--version").output();
    said.is_ok_and(|said| said.status.success())
}

/// The port that the driver says it chose; what it says after that is read and thrown away.
fn port_of(driver: &mut Child) -> Result<u16> {
    let said = driver.stdout.take().context("no output")?;
    let mut said = BufReader::new(said).lines();
    while let Some(line) = said.next() {
        let line = line?;
        let port = line
            .split("on port ")
            .nth(1)
            .filter(|_| line.contains("started"));
        if let Some(port) = port {
            let port = port.trim_end_matches('.').parse()?;
            thread::spawn(move || said.for_each(drop));
            return Ok(port);
        }
    }
    bail!("ChromeDriver did not start")
}

/// The body of an answer with a length.
fn body_of(mut answer: impl BufRead) -> Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        ensure!(answer.read_line(&mut line)? > 0, "the driver hung up");
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(said) = line.strip_prefix("content-length:") {
            length = said.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    answer.read_exact(&mut body)?;
    Ok(body)
}
