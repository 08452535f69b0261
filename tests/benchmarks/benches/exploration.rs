//! Criterion benchmark of ping-pong: our tester with and without a monitor, a plain loop, and shuttle.

use actor_test::Tester;
use actor_test::strategy::StrategySpec;
use benchmarks::ping_pong::{Answered, ping_pong};
use benchmarks::{peer, plain::Plain};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

const CLIENTS: u32 = 3;
const ROUNDS: u32 = 100;
/// The number of schedules that one measured call explores.
const SCHEDULES: u64 = 100;

fn ours(monitor: bool) {
    let tester = Tester::new()
        .iterations(SCHEDULES)
        .strategy(StrategySpec::Random);
    let report = tester.run(|sys| {
        if monitor {
            sys.monitor::<Answered>();
        }
        ping_pong(&sys, CLIENTS, ROUNDS);
    });
    report.assert_clean();
}

fn exploration(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ping_pong");
    group.throughput(Throughput::Elements(SCHEDULES));
    group.sample_size(20);
    let mut plain = Plain::new(CLIENTS as usize);
    group.bench_function("loop", |bench| {
        bench.iter(|| {
            (0..SCHEDULES)
                .map(|seed| plain.run(seed, u64::from(ROUNDS)))
                .sum::<u64>()
        });
    });
    group.bench_function("random", |bench| bench.iter(|| ours(false)));
    group.bench_function("random with a monitor", |bench| bench.iter(|| ours(true)));
    for (kind, program) in peer::PROGRAMS {
        let run = move || drop(program(CLIENTS as usize, ROUNDS as usize));
        group.bench_function(BenchmarkId::new("shuttle random", kind), |bench| {
            bench.iter(|| {
                let scheduler = RandomScheduler::new(SCHEDULES as usize);
                Runner::new(scheduler, Config::new()).run(run)
            });
        });
        group.bench_function(BenchmarkId::new("shuttle PCT 3", kind), |bench| {
            bench.iter(|| {
                let scheduler = PctScheduler::new(3, SCHEDULES as usize);
                Runner::new(scheduler, Config::new()).run(run)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, exploration);
criterion_main!(benches);
