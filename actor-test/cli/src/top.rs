//! The subcommand `top`: shows the actors of a running program, read from a local socket.

use std::io::{IsTerminal, Write, stdout};
use std::path::Path;
use std::time::Duration;

use super::options::Top;
use super::screen::Screen;
use super::{Exit, Trouble, interruption};

/// The interval of checks for an interruption.
const PAUSE: Duration = Duration::from_millis(50);

/// Shows the actors until interrupted or the program ends; only once without a terminal.
pub(crate) fn run(options: &Top, screen: &mut Screen) -> Result<Exit, Trouble> {
    let terminal = console::Term::stdout();
    let once = options.once || !stdout().is_terminal();
    loop {
        let actors = ask(&options.socket)?;
        let (rows, columns) = match once {
            true => (usize::MAX, screen.width(None)),
            false => {
                let (rows, columns) = terminal.size();
                (usize::from(rows), usize::from(columns))
            }
        };
        let lines = table(&actors, rows, columns);
        if once {
            lines.iter().for_each(|line| screen.line(line));
            return Ok(Exit::Clean);
        }
        draw(&lines);
        let mut left = options.every;
        while !left.is_zero() {
            if interruption::is_seen() {
                return Ok(Exit::Clean);
            }
            let pause = left.min(PAUSE);
            std::thread::sleep(pause);
            left -= pause;
        }
    }
}

/// The state of one actor.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ActorRow {
    name: String,
    of_type: String,
    state: Option<String>,
    event: Option<String>,
    waits: bool,
    unread: u64,
    oldest: Option<Duration>,
    restarts: u64,
}

/// Reads the state of all actors from the program.
#[cfg(unix)]
fn ask(socket: &Path) -> Result<Vec<ActorRow>, Trouble> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let at = socket.display();
    let asked = UnixStream::connect(socket).and_then(|mut program| {
        // The program answers from a thread of its own, however busy its actors are.
        program.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut text = Vec::new();
        program.read_to_end(&mut text)?;
        Ok(text)
    });
    match asked {
        Ok(text) => read(&String::from_utf8_lossy(&text))
            .ok_or_else(|| Trouble(format!("what answers at {at} shows no actors"))),
        Err(error) => Err(Trouble(format!("{at}: {}", problem(&error)))),
    }
}

#[cfg(not(unix))]
fn ask(_: &Path) -> Result<Vec<ActorRow>, Trouble> {
    Err(Trouble("`top` needs the local sockets of Unix".into()))
}

/// Describes an error, with the remedy if there is one.
#[cfg(unix)]
fn problem(error: &std::io::Error) -> String {
    use std::io::ErrorKind;

    match error.kind() {
        ErrorKind::NotFound => {
            "there is no socket; a program shows its actors with `live.show_at(path)`, and the feature \
             `top` of actor-core"
                .into()
        }
        ErrorKind::PermissionDenied => {
            "only the user who runs the program may inspect its actors".into()
        }
        ErrorKind::ConnectionRefused => "the program that showed its actors there has ended".into(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "there was no answer within 10 s".into(),
        _ => error.to_string(),
    }
}

/// Parses an answer; `None` if it is invalid or incomplete.
fn read(text: &str) -> Option<Vec<ActorRow>> {
    let lines = text.strip_prefix("actor-core top 1\n")?;
    let lines = lines.strip_suffix("end\n")?;
    lines.lines().map(actor).collect()
}

fn actor(line: &str) -> Option<ActorRow> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [name, of_type, state, event, waits, unread, oldest, restarts] = parts[..] else {
        return None;
    };
    let known = |part: &str| (part != "-").then(|| part.to_owned());
    Some(ActorRow {
        name: name.to_owned(),
        of_type: of_type.to_owned(),
        state: known(state),
        event: known(event),
        waits: waits == "1",
        unread: unread.parse().ok()?,
        oldest: match oldest {
            "-" => None,
            millis => Some(Duration::from_millis(millis.parse().ok()?)),
        },
        restarts: restarts.parse().ok()?,
    })
}

const HEADS: [&str; 6] = ["ACTOR", "STATE", "IN HAND", "UNREAD", "OLDEST", "RESTARTS"];

/// The columns that contain numbers.
const NUMBERS: std::ops::Range<usize> = 3..6;

/// Returns a table of the actors in `rows` rows of `columns` columns, those with most unread events first.
fn table(actors: &[ActorRow], rows: usize, columns: usize) -> Vec<String> {
    let mut sorted: Vec<&ActorRow> = actors.iter().collect();
    sorted.sort_by_key(|actor| {
        let ActorRow { unread, oldest, .. } = actor;
        (std::cmp::Reverse((*unread, *oldest)), &actor.name)
    });
    let unread: u64 = actors.iter().map(|actor| actor.unread).sum();
    let plural = if actors.len() == 1 { "" } else { "s" };
    let mut lines = vec![format!("{} actor{plural}, {unread} unread", actors.len())];
    let room = rows.saturating_sub(3);
    let shown = sorted.len().min(room);
    let cells: Vec<[String; 6]> = sorted[..shown].iter().map(|actor| cells(actor)).collect();
    let mut widths = HEADS.map(str::len);
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(console::measure_text_width(cell));
        }
    }
    lines.push(row(&HEADS.map(str::to_owned), &widths, columns));
    lines.extend(cells.iter().map(|cells| row(cells, &widths, columns)));
    if shown < sorted.len() {
        lines.push(format!("and {} more", sorted.len() - shown));
    }
    lines
}

fn cells(actor: &ActorRow) -> [String; 6] {
    // The name contains the type, unless the actor was given a name.
    let name = match actor.name.contains(&actor.of_type) {
        true => actor.name.clone(),
        false => format!("{} ({})", actor.name, actor.of_type),
    };
    let event = match (&actor.event, actor.waits) {
        (Some(event), true) => format!("awaits in {event}"),
        (Some(event), false) => event.clone(),
        (None, _) => "-".into(),
    };
    [
        name,
        actor.state.clone().unwrap_or_else(|| "-".into()),
        event,
        actor.unread.to_string(),
        actor
            .oldest
            .map_or_else(|| "-".into(), |oldest| format!("{oldest:.1?}")),
        actor.restarts.to_string(),
    ]
}

/// Formats one line; the first column is cut if the line is too long.
fn row(cells: &[String; 6], widths: &[usize; 6], columns: usize) -> String {
    let others: usize = widths[1..].iter().map(|width| width + 2).sum();
    let first = widths[0].min(columns.saturating_sub(others).max(HEADS[0].len()));
    let mut line = String::new();
    for (at, cell) in cells.iter().enumerate() {
        let width = if at == 0 { first } else { widths[at] };
        let side = match NUMBERS.contains(&at) {
            true => console::Alignment::Right,
            false => console::Alignment::Left,
        };
        if at > 0 {
            line.push_str("  ");
        }
        line.push_str(&console::pad_str(cell, width, side, Some("…")));
    }
    console::truncate_str(line.trim_end(), columns, "…").into_owned()
}

/// Draws the lines from the upper left corner, and erases the rest of the previous picture.
fn draw(lines: &[String]) {
    let mut text = String::from("\x1b[H");
    for line in lines {
        text.push_str(line);
        text.push_str("\x1b[K\r\n");
    }
    text.push_str("\x1b[J");
    let mut out = stdout().lock();
    // A closed standard output is not an error.
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "actor-core top 1\n\
        logger\tLogger\t-\t-\t0\t0\t-\t0\n\
        printer\tPrinter\tBusy\tPrint\t1\t12\t3400\t1\n\
        Worker#3\tWorker\t-\t-\t0\t2\t70\t0\n\
        end\n";

    #[test]
    fn those_with_most_to_do_come_first() {
        let actors = read(ANSWER).expect("it is whole");
        let expected = [
            "3 actors, 14 unread",
            "ACTOR              STATE  IN HAND          UNREAD  OLDEST  RESTARTS",
            "printer (Printer)  Busy   awaits in Print      12    3.4s         1",
            "Worker#3           -      -                     2  70.0ms         0",
            "logger (Logger)",
        ];
        let lines = table(&actors, 24, 100);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[0], expected[0]);
        let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        for (line, expected) in lines.iter().zip(expected).take(4) {
            assert_eq!(squeezed(line), squeezed(expected));
        }
        assert!(lines[4].starts_with(expected[4]));
        // All lines have their numbers in the same columns.
        let ends = lines[1..]
            .iter()
            .map(|line| console::measure_text_width(line));
        assert_eq!(ends.collect::<std::collections::BTreeSet<_>>().len(), 1);
    }

    #[test]
    fn a_picture_fits_its_terminal() {
        let actors = read(ANSWER).expect("it is whole");
        for columns in [20, 40, 60] {
            for line in table(&actors, 5, columns) {
                assert!(console::measure_text_width(&line) <= columns, "{line:?}");
            }
        }
        let lines = table(&actors, 5, 80);
        assert_eq!((lines.len(), &*lines[4]), (5, "and 1 more"));
    }

    #[test]
    fn what_is_no_whole_answer_is_none() {
        assert_eq!(read(""), None);
        assert_eq!(read("HTTP/1.1 400 Bad Request\r\n"), None);
        assert_eq!(read(ANSWER.trim_end_matches("end\n")), None);
        assert_eq!(read(&ANSWER.replace("\t12\t", "\ttwelve\t")), None);
        assert_eq!(read("actor-core top 1\nend\n"), Some(Vec::new()));
    }
}
