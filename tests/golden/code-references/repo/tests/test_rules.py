from pkg.rules import Rule1


def test_rules():
    assert Rule1().apply(1) == 2
