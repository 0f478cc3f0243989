//! A bot in Rust, without any crate: plays the first of the legal moves that it has made least
//! often in this game, so that it tries everything once.
//!
//!     rustc -O patient_bot.rs
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// Returns the strings of the list after `"key":[`, exactly as they are written in the line, so
/// that they can be sent back unchanged.
fn strings<'a>(line: &'a str, key: &str) -> Vec<&'a str> {
    let Some(at) = line.find(&format!("\"{key}\":[")) else {
        return Vec::new();
    };
    let (mut found, mut begin, mut escaped) = (Vec::new(), None, false);
    for (index, letter) in line.char_indices().skip_while(|(i, _)| *i < at + key.len() + 4) {
        match (begin, letter) {
            (None, ']') => break,
            (None, '"') => begin = Some(index + 1),
            (None, _) => {}
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(from), '"') => {
                found.push(&line[from..index]);
                begin = None;
            }
            (Some(_), _) => {}
        }
    }
    found
}

fn main() -> io::Result<()> {
    let mut made: HashMap<String, u32> = HashMap::new();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.starts_with("{\"type\":\"quit\"") {
            break;
        } else if line.starts_with("{\"type\":\"choose\"") {
            let legal = strings(&line, "legal");
            let rarest = legal.iter().min_by_key(|&&action| made.get(action).copied());
            let action = rarest.copied().unwrap_or_default();
            *made.entry(action.to_string()).or_insert(0) += 1;
            writeln!(output, "{{\"type\":\"move\",\"move\":\"{action}\"}}")?;
        } else {
            made.clear(); // hello, or the start of a game
            writeln!(output, "{{\"type\":\"ready\"}}")?;
        }
        output.flush()?;
    }
    Ok(())
}
