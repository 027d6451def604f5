// Val, the frontend's value of a kernel's expression: each alternative has its own fields, and access as another one fails.
#include "base/error.h"
#include "frontend/value.h"
#include "python_interpreter.h"

#include <functional>

using namespace qd;
using namespace qd::frontend;

namespace {

PyRef number(long n) { return PyRef::steal(PyLong_FromLong(n)); }

TEST(Val, is_empty_at_first) {
    const Val v;
    EXPECT_EQ(v.tag(), Tag::none);
    EXPECT_TRUE(v.parts().empty());
    EXPECT_EQ(v.node(), -1);
    EXPECT_FALSE(v.is_static);
}

TEST(Val, returns_the_fields_of_its_alternative) {
    Val v = val::Scalar{ir::Value{7}, ir::Scalar::f32};
    EXPECT_TRUE(v.is_scalar());
    EXPECT_EQ(v.scalar().v, ir::Value{7});
    ASSERT_TRUE(v.if_scalar());
    v.if_scalar()->elem = ir::Scalar::f64;
    EXPECT_EQ(std::as_const(v).scalar().elem, ir::Scalar::f64);
}

bool is_refused(const std::function<void()> &access) {
    try {
        access();
    } catch (const InternalError &) {
        return true;
    }
    return false;
}

/// For every pair of alternatives, the fields of one are accessible exactly if the value is that one.
TEST(Val, refuses_access_as_another_alternative) {
    const std::vector<Val> values = {
#define VALUE(name, Alternative) Val(val::Alternative{}),
#include "frontend/values.def"
    };
    for (size_t i = 0; i < values.size(); ++i) {
        const Val &v = values[i];
        Val copy = v;
        EXPECT_EQ(v.tag(), Tag(i));
        EXPECT_EQ(copy.tag(), Tag(i));
#define VALUE(name, Alternative)                                                                                       \
    EXPECT_EQ(v.is_##name(), Tag(i) == Tag::name);                                                                     \
    EXPECT_EQ(v.if_##name() != nullptr, Tag(i) == Tag::name);                                                          \
    EXPECT_EQ(copy.if_##name() != nullptr, Tag(i) == Tag::name);                                                       \
    EXPECT_EQ(is_refused([&] { (void)v.name(); }), Tag(i) != Tag::name);                                               \
    EXPECT_EQ(is_refused([&] { (void)copy.name(); }), Tag(i) != Tag::name);                                            \
    EXPECT_EQ(is_refused([&] { (void)Val(v).name(); }), Tag(i) != Tag::name);
#include "frontend/values.def"
    }
}

TEST(Val, reports_both_alternatives) {
    try {
        Val(val::Matrix{}).scalar();
        FAIL();
    } catch (const InternalError &error) {
        EXPECT_NE(std::string(error.what()).find("a value that is matrix was taken for scalar"), std::string::npos)
            << error.what();
    }
}

TEST(Val, holds_the_parts_of_sequences_dicts_and_structs) {
    const std::vector<Val> two = {val::Scalar{ir::Value{1}, ir::Scalar::i32},
                                  val::Scalar{ir::Value{2}, ir::Scalar::i32}};
    for (Val v : {tuple_of(two), list_of(two), Val(val::Dict{two, std::make_shared<DictKeys>()}),
                  Val(val::StructValue{nullptr, two})}) {
        ASSERT_EQ(v.parts().size(), 2u);
        v.parts()[1] = tuple_of(two); // changes only this value
        EXPECT_TRUE(v.parts()[1].is_tuple());
        EXPECT_TRUE(two[1].is_scalar());
    }
}

TEST(Val, distinguishes_tuples_lists_and_flavours) {
    const Val tuple = tuple_of({}), list = list_of({});
    EXPECT_TRUE(tuple.is_tuple() && !tuple.is_list() && tuple.is_sequence());
    EXPECT_TRUE(list.is_list() && !list.is_tuple() && list.is_sequence());
    EXPECT_TRUE(tuple.is(Flavour::plain));
    const Val text = val::Sequence{{}, val::Sequence::Type::list, Flavour::text};
    EXPECT_TRUE(text.is(Flavour::text) && !text.is(Flavour::plain));
    EXPECT_FALSE(Val().is(Flavour::plain));
}

TEST(Val, counts_the_references_to_its_object) {
    const PyRef object = number(123456789);
    const Py_ssize_t before = Py_REFCNT(object.get());
    {
        const Val v = val::Constant{object, 3, {}};
        EXPECT_EQ(v.object(), object.get());
        EXPECT_EQ(v.node(), 3);
        Val copy = v;
        EXPECT_EQ(Py_REFCNT(object.get()), before + 2);
        copy = val::Scalar{};
        EXPECT_EQ(Py_REFCNT(object.get()), before + 1);
    }
    EXPECT_EQ(Py_REFCNT(object.get()), before);
}

} // namespace
