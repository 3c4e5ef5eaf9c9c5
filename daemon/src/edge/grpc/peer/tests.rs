//! Connections of greedy, slow and idle clients.

use super::super::limits::INTAKE;
use super::super::limits::PIECE;
use super::*;

fn admitted(book: &Arc<Connections>, uid: u32) -> Option<Peer> {
    match book.admit(uid) {
        Admission::Granted(peer) => Some(peer),
        Admission::Refused => None,
    }
}

fn verdict(peer: &Peer) -> Option<CutReason> {
    peer.verdict(true, Waker::noop()).err()
}

#[tokio::test(start_paused = true)]
async fn a_user_above_the_share_displaces_an_idle_connection_of_its_own() {
    let book = Connections::new(limits());
    let mine: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
    let other = admitted(&book, 2).unwrap();
    let busy = mine[0].begin().unwrap();
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(admitted(&book, 1).is_some());
    let cut: Vec<_> = mine.iter().map(verdict).collect();
    assert_eq!(
        cut,
        [None, Some(CutReason::Displaced), None],
        "the busy one stays"
    );
    assert_eq!(verdict(&other), None);
    drop(busy);
}

#[tokio::test(start_paused = true)]
async fn a_user_whose_connections_are_all_busy_is_refused_one_more() {
    let book = Connections::new(ClientLimits {
        requests_per_user: 9,
        ..limits()
    });
    let mine: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
    let tickets: Vec<_> = mine.iter().map(|peer| peer.begin().unwrap()).collect();
    assert!(matches!(book.admit(1), Admission::Refused));
    assert!(admitted(&book, 2).is_some());
    drop(tickets);
    assert!(admitted(&book, 1).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_full_house_gives_the_place_of_whoever_has_most_and_refuses_where_all_are_busy() {
    let book = Connections::new(ClientLimits {
        requests_per_user: 9,
        ..limits()
    });
    let lone = admitted(&book, 2).unwrap();
    let greedy: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
    let newcomer = admitted(&book, 3).unwrap();
    assert_eq!(verdict(&lone), None, "though it has been idle for longest");
    assert_eq!(verdict(&greedy[0]), Some(CutReason::Displaced));
    let all = [&lone, &greedy[1], &greedy[2], &newcomer];
    let mut busy: Vec<_> = all.iter().map(|peer| peer.begin().unwrap()).collect();
    assert!(matches!(book.admit(3), Admission::Refused));
    busy.pop();
    assert!(admitted(&book, 3).is_some());
}

#[tokio::test(start_paused = true)]
async fn busy_connections_give_way_to_a_user_who_has_none() {
    let book = Connections::new(ClientLimits {
        requests_per_user: 9,
        ..limits()
    });
    let greedy: Vec<Peer> = (0..3).filter_map(|_| admitted(&book, 1)).collect();
    let lone = admitted(&book, 2).unwrap();
    let all = || greedy.iter().chain([&lone]);
    let mut busy: Vec<_> = all().map(|peer| peer.begin().unwrap()).collect();
    let newcomer = admitted(&book, 3).unwrap();
    let cut: Vec<_> = all().map(verdict).collect();
    assert_eq!(cut, [None, None, Some(CutReason::Displaced), None]);
    busy.push(newcomer.begin().unwrap());
    assert!(
        matches!(book.admit(3), Admission::Refused),
        "it has one now"
    );
    let fourth = admitted(&book, 4).unwrap();
    assert_eq!(verdict(&greedy[1]), Some(CutReason::Displaced));
    busy.push(fourth.begin().unwrap());
    assert!(matches!(book.admit(5), Admission::Refused), "all have one");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_too_slowly_is_cut_and_one_that_rests_once_is_not() {
    let book = Connections::new(limits());
    let (slow, resting) = (admitted(&book, 1).unwrap(), admitted(&book, 2).unwrap());
    let (drips, rests) = (slow.begin().unwrap(), resting.begin().unwrap());
    // One piece every 20 s is never a silence of 30 s.
    drips.handed(PIECE);
    rests.handed(PIECE);
    tokio::time::advance(Duration::from_secs(20)).await;
    assert_eq!((verdict(&slow), verdict(&resting)), (None, None));
    drips.taken();
    drips.handed(PIECE);
    for _ in 0..20 {
        rests.taken();
        rests.handed(PIECE);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert_eq!(verdict(&slow), Some(CutReason::Unread));
    tokio::time::advance(Duration::from_secs(25)).await;
    assert_eq!(verdict(&resting), None);
}

#[tokio::test(start_paused = true)]
async fn idle_and_unread_connections_are_cut_and_one_at_work_is_not() {
    let book = Connections::new(limits());
    let (idle, unread, at_work) = (
        admitted(&book, 1).unwrap(),
        admitted(&book, 2).unwrap(),
        admitted(&book, 3).unwrap(),
    );
    let reply = unread.begin().unwrap();
    let _long = at_work.begin().unwrap();
    reply.handed(1);
    tokio::time::advance(Duration::from_secs(29)).await;
    assert_eq!(verdict(&unread), None);
    reply.taken();
    reply.handed(1);
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(verdict(&unread), Some(CutReason::Unread));
    tokio::time::advance(Duration::from_secs(300)).await;
    assert_eq!(verdict(&idle), Some(CutReason::Idle));
    assert_eq!(verdict(&at_work), None);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_cut_early() {
    let book = Connections::new(limits());
    let peer = admitted(&book, 1).unwrap();
    let look = peer.verdict(false, Waker::noop()).unwrap();
    assert_eq!(look, Instant::now() + HANDSHAKE);
    tokio::time::advance(HANDSHAKE).await;
    assert_eq!(peer.verdict(false, Waker::noop()), Err(CutReason::Silent));
    assert_eq!(verdict(&peer), None);
}

#[tokio::test]
async fn requests_and_their_bytes_are_shared_out_by_user() {
    let book = Connections::new(limits());
    let (one, two) = (admitted(&book, 1).unwrap(), admitted(&book, 2).unwrap());
    let first = one.begin().unwrap();
    let _second = one.begin().unwrap();
    assert!(one.begin().is_err());
    let _other = two.begin().unwrap();
    drop(first);
    let _third = one.begin().unwrap();
    let charge = Charge::new(&one);
    charge.add(INTAKE / 2).unwrap();
    assert!(Charge::new(&one).add(1).is_err());
    Charge::new(&two).add(1).unwrap();
    charge.release(1);
    Charge::new(&one).add(1).unwrap();
    drop(charge);
    Charge::new(&one).add(INTAKE / 2).unwrap();
}
