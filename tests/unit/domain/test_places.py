from corbie.domain.places import (
    DefinitionRefused,
    Place,
    Problem,
    format_problem,
    join_path,
    nearest_name,
)


def a_problem(line=0, column=0, path="", mend=""):
    place = Place(file="a.yaml", line=line, column=column, path=path)
    return Problem(place=place, what="wrong", mend=mend)


def test_a_problem_reads_file_line_column_path_and_what_to_write():
    problem = a_problem(4, 3, "stages.get", 'did you mean "job"?')

    assert format_problem(problem) == 'a.yaml:4:3: stages.get: wrong; did you mean "job"?'


def test_a_problem_without_a_line_names_only_the_file():
    assert format_problem(a_problem()) == "a.yaml: wrong"


def test_problems_are_sorted_by_line_and_column():
    refused = DefinitionRefused([a_problem(10, 2), a_problem(9, 3), a_problem(10, 1)])

    spots = [(one.place.line, one.place.column) for one in refused.problems]
    assert spots == [(9, 3), (10, 1), (10, 2)]


def test_a_path_joins_names_by_dots_and_indexes_in_brackets():
    assert join_path(join_path(join_path("", "input"), "urls"), 3) == "input.urls[3]"


def test_the_nearest_name_differs_by_a_third_of_its_letters_at_most():
    assert nearest_name("stage", ["output", "stages"]) == "stages"
    assert nearest_name("inptu", ["input", "output"]) == "input"
    assert nearest_name("when", ["job", "follows"]) is None


def test_a_name_of_one_letter_is_near_to_no_other():
    assert nearest_name("a", ["b", "c"]) is None
