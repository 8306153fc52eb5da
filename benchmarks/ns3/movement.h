/* The very movement of our own run, read from a file: straight legs between points in time. */
#pragma once

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"

#include <fstream>
#include <string>
#include <vector>

namespace movement
{

struct Point
{
    double timeS;
    double xM;
    double yM;
};

using Walks = std::vector<std::vector<Point>>;

/** Read lines "node time_s x_m y_m". */
inline Walks
Read(const std::string& path, uint32_t nodes)
{
    Walks walks(nodes);
    std::ifstream file(path);
    uint32_t node;
    Point point;
    while (file >> node >> point.timeS >> point.xM >> point.yM)
    {
        walks.at(node).push_back(point);
    }
    return walks;
}

inline void
BeginLeg(ns3::Ptr<ns3::ConstantVelocityMobilityModel> mobility, const std::vector<Point>* points, size_t leg)
{
    using namespace ns3;
    const Point& from = (*points)[leg];
    mobility->SetPosition(Vector(from.xM, from.yM, 0));
    Vector velocity(0, 0, 0);
    if (leg + 1 < points->size())
    {
        const Point& to = (*points)[leg + 1];
        double elapsedS = to.timeS - from.timeS;
        if (elapsedS > 0)
        {
            velocity = Vector((to.xM - from.xM) / elapsedS, (to.yM - from.yM) / elapsedS, 0);
        }
        Simulator::Schedule(Seconds(to.timeS) - Simulator::Now(), &BeginLeg, mobility, points, leg + 1);
    }
    mobility->SetVelocity(velocity);
}

/** Move a node along its points, each leg by a constant velocity; the points must outlive the run. */
inline void
Follow(const ns3::Ptr<ns3::Node>& node, const std::vector<Point>& points)
{
    auto mobility = ns3::CreateObject<ns3::ConstantVelocityMobilityModel>();
    node->AggregateObject(mobility);
    BeginLeg(mobility, &points, 0);
}

} // namespace movement
